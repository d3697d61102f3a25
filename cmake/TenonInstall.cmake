# installed: public headers, library, command, pkg-config file, CMake package
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS tenon EXPORT tenon-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tenon_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tenon-targets NAMESPACE tenon:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)
write_basic_package_version_file(tenon-config-version.cmake COMPATIBILITY SameMinorVersion)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/tenon-config.cmake
     "include(\${CMAKE_CURRENT_LIST_DIR}/tenon-targets.cmake)\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenon-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tenon-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)
configure_file(cmake/tenon.pc.in tenon.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
