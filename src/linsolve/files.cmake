set(room_files
  kkt.c
  natural.c
  natural_plan.c
  natural_point.c
  compliance_cg.c
  blas.c chain.c
  dense_lu.c
  sparse_lu.c
  fill.c
  plan.c
  reduced.c
  saddle.c
  sparse.c
  sparse_klu.c
  sparse_mumps.c
  sparse_fronts.c sparse_pcg.c sparse_skyline.c dissect.c
  pins.c
  krylov.c
  hub.c pieces.c
  rank.c)

# their inner loops are short and written with pairs; loop vectorization only adds prologues to them
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/reduced.c ${CMAKE_CURRENT_LIST_DIR}/pins.c TARGET_DIRECTORY tenon_objects
  PROPERTIES COMPILE_OPTIONS "-fno-tree-vectorize")
