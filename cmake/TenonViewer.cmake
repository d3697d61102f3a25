# The page of the viewer, as C source, from the files in viewer/. Every module after those it imports from.
set(viewer ${CMAKE_CURRENT_SOURCE_DIR}/viewer)
set(page_parts ${viewer}/page.html ${viewer}/style.css ${viewer}/vendor/third-party.js)
foreach(module scene shapes deform mesh stage player plots timeline live app)
  list(APPEND page_parts ${viewer}/src/${module}.js)
endforeach()
add_executable(tenon_bundle ${viewer}/bundle.c)
set(page ${CMAKE_CURRENT_BINARY_DIR}/viewer/page.c)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/viewer)
add_custom_command(OUTPUT ${page} COMMAND tenon_bundle ${page} ${page_parts}
                   DEPENDS tenon_bundle ${page_parts} COMMENT "Bundling the viewer")
target_sources(tenon_objects PRIVATE ${page})
