# installed: public headers, library, command, pkg-config file, CMake package
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS tenon EXPORT tenon-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# the command finds the library of its own prefix, whatever ldconfig knows
file(RELATIVE_PATH TENON_BIN_TO_LIB /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
get_target_property(own_objects tenon_cli SKIP_BUILD_RPATH)
if(NOT own_objects)
  set_target_properties(tenon_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${TENON_BIN_TO_LIB}")
endif()
install(TARGETS tenon_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tenon-targets NAMESPACE tenon:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)
write_basic_package_version_file(tenon-config-version.cmake COMPATIBILITY SameMinorVersion)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/tenon-config.cmake
     "include(\${CMAKE_CURRENT_LIST_DIR}/tenon-targets.cmake)\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenon-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tenon-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)
# the file finds its prefix from its own place, so that `cmake --install --prefix` may choose any
file(RELATIVE_PATH TENON_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/tenon.pc.in tenon.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
