# processes started by mpirun: `make test-mpi` builds and runs them, nothing else does
add_executable(mpi_ranks EXCLUDE_FROM_ALL mpi/ranks.c)
target_include_directories(mpi_ranks PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(mpi_ranks PRIVATE tenon_objects tenon_mpi_objects tenon_dependencies MPI::MPI_C)
target_compile_definitions(mpi_ranks PRIVATE TENON_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
if(TARGET tenon_petsc) # lies beside who loads it
  add_dependencies(mpi_ranks tenon_petsc)
  add_custom_command(TARGET mpi_ranks POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:tenon_petsc>
    $<TARGET_FILE_DIR:mpi_ranks>/libtenon_petsc.so)
endif()
set(mpi_environment "OPENBLAS_NUM_THREADS=1;OMP_NUM_THREADS=1;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
  "OMPI_MCA_rmaps_base_oversubscribe=1")
foreach(n 1 2 3 4)
  add_test(NAME mpi_ranks_${n} COMMAND mpirun -n ${n} $<TARGET_FILE:mpi_ranks>)
  set_tests_properties(mpi_ranks_${n} PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2 ENVIRONMENT "${mpi_environment}")
endforeach()
add_test(NAME mpi_run COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/mpi/run.sh ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
set_tests_properties(mpi_run PROPERTIES LABELS mpi TIMEOUT 1800 PROCESSORS 2)
