# Tests that are scripts, run as: script build-dir source-dir. They need a shell, the compiler and
# the command, nothing else.
function(tenon_add_script name label)
  add_test(NAME ${label}_${name} COMMAND sh ${PROJECT_SOURCE_DIR}/tests/scripts/${name}.sh
           ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  set_tests_properties(${label}_${name} PROPERTIES LABELS ${label} TIMEOUT 300
    ENVIRONMENT "OPENBLAS_NUM_THREADS=1;OMP_NUM_THREADS=1;CC=${CMAKE_C_COMPILER}")
endfunction()

tenon_add_script(include_direction source)
tenon_add_script(headers_alone source)
tenon_add_script(generated_docs docs)
tenon_add_script(doc_snippets docs)
tenon_add_script(bad_inputs cli)
tenon_add_script(doc_links docs)
if(NOT TENON_SANITIZE) # a program outside of this build would need the sanitizers' runtime first
  tenon_add_script(install_consumer library)
endif()
add_executable(check_json scripts/check_json.c)
add_executable(same_results scripts/same_results.c)
target_link_libraries(same_results PRIVATE tenon_dependencies)
tenon_add_script(cli cli)
tenon_add_script(interrupted cli)
tenon_add_script(examples cli)
add_test(NAME cli_examples_all COMMAND sh ${PROJECT_SOURCE_DIR}/tests/scripts/examples.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} all)
set_tests_properties(cli_examples_all PROPERTIES LABELS slow TIMEOUT 600)
tenon_add_script(low_memory cli)
set_tests_properties(cli_low_memory PROPERTIES SKIP_RETURN_CODE 77)
tenon_add_script(odd_files cli)
tenon_add_script(plot cli)
tenon_add_script(vtk cli)
set_tests_properties(cli_vtk PROPERTIES SKIP_RETURN_CODE 77)
tenon_add_script(compare_ccx cli)
set_tests_properties(cli_compare_ccx PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME cli_compare_ccx_all COMMAND sh ${PROJECT_SOURCE_DIR}/tests/scripts/compare_ccx.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} 500 3)
set_tests_properties(cli_compare_ccx_all PROPERTIES LABELS slow TIMEOUT 3600 SKIP_RETURN_CODE 77)
tenon_add_script(compare cli)
tenon_add_script(advise cli)
tenon_add_script(decompose cli)
tenon_add_script(deck cli)
tenon_add_script(report cli)
tenon_add_script(old_results cli)
add_executable(stand_in_browser scripts/stand_in_browser.c)
tenon_add_script(pictures cli)
tenon_add_script(setup source)
tenon_add_script(vendor source)

add_executable(live_company scripts/live.c)
target_include_directories(live_company PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(live_company PRIVATE m)
add_test(NAME cli_live COMMAND live_company $<TARGET_FILE:tenon_cli>)
set_tests_properties(cli_live PROPERTIES LABELS cli TIMEOUT 60 SKIP_RETURN_CODE 77)

# as many kills as make a rare moment likely
add_test(NAME cli_kill_campaign COMMAND sh ${PROJECT_SOURCE_DIR}/tests/scripts/kill_campaign.sh
         ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} 1000)
set_tests_properties(cli_kill_campaign PROPERTIES LABELS slow TIMEOUT 3600)

# the viewer in a browser; timings are no matter of every test run
foreach(what page speed)
  add_test(NAME viewer_${what} COMMAND sh ${PROJECT_SOURCE_DIR}/tests/scripts/viewer.sh
           ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${what})
  set_tests_properties(viewer_${what} PROPERTIES LABELS viewer TIMEOUT 300 SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(viewer_speed PROPERTIES LABELS "viewer;slow" RUN_SERIAL TRUE)
