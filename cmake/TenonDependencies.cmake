# Everything comes from Debian packages; nothing is downloaded at configure time.
# A missing library stops here with the line to type.
include(CheckIncludeFile)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

set(TENON_APT "libopenblas-dev liblapacke-dev libsuitesparse-dev libsundials-dev libmumps-seq-dev libmetis-dev libhdf5-dev libyaml-dev")
function(tenon_find_library var name header)
  find_library(${var} NAMES ${name})
  find_path(${var}_INCLUDE NAMES ${header} PATH_SUFFIXES ${ARGN})
  if(NOT ${var} OR NOT ${var}_INCLUDE)
    message(FATAL_ERROR "library '${name}' (header ${header}) not found; on Debian: apt-get install ${TENON_APT}")
  endif()
endfunction()

tenon_find_library(TENON_LAPACKE lapacke lapacke.h)
tenon_find_library(TENON_OPENBLAS openblas cblas.h x86_64-linux-gnu aarch64-linux-gnu)
tenon_find_library(TENON_KLU klu suitesparse/klu.h)
tenon_find_library(TENON_AMD amd suitesparse/amd.h)
tenon_find_library(TENON_MUMPS dmumps_seq dmumps_c.h)
tenon_find_library(TENON_METIS metis metis.h)
tenon_find_library(TENON_YAML yaml yaml.h)
tenon_find_library(TENON_CVODE sundials_cvode cvode/cvode.h)
tenon_find_library(TENON_IDA sundials_ida ida/ida.h)
tenon_find_library(TENON_NVEC sundials_nvecserial nvector/nvector_serial.h)
# libraries that are loaded at first use (base/late.h): the name under which the loader knows them
function(tenon_loader_name var library)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE about ERROR_QUIET)
  get_filename_component(real ${library} REALPATH)
  get_filename_component(name ${real} NAME)
  if(about MATCHES "SONAME +([^ \n]+)")
    set(name ${CMAKE_MATCH_1})
  endif()
  set(${var} ${name} PARENT_SCOPE)
endfunction()

pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
# PNG plots; everything else works without
pkg_check_modules(CAIRO IMPORTED_TARGET cairo)

# the fixed-point solver that CVODE needs lives in a library of its own
find_library(TENON_SUNNLSFIXED sundials_sunnonlinsolfixedpoint REQUIRED)

add_library(tenon_dependencies INTERFACE)
tenon_loader_name(TENON_MUMPS_FILE ${TENON_MUMPS})
# comes with MUMPS, as a rule without what finds it at build time
find_library(TENON_SCOTCH scotch)
if(TENON_SCOTCH)
  tenon_loader_name(TENON_SCOTCH_FILE ${TENON_SCOTCH})
else()
  set(TENON_SCOTCH_FILE libscotch-7.0.so)
endif()
target_include_directories(tenon_dependencies SYSTEM INTERFACE ${TENON_LAPACKE_INCLUDE}
  ${TENON_OPENBLAS_INCLUDE} ${TENON_KLU_INCLUDE} ${TENON_KLU_INCLUDE}/suitesparse ${TENON_MUMPS_INCLUDE}
  ${TENON_YAML_INCLUDE} ${TENON_CVODE_INCLUDE})
target_compile_definitions(tenon_dependencies INTERFACE TENON_MUMPS_FILE="${TENON_MUMPS_FILE}"
  TENON_SCOTCH_FILE="${TENON_SCOTCH_FILE}")
# OpenBLAS first: it looks up twelve thousand of its own names when it is loaded, each in all libraries before it.
# LAPACKE is for tests and benchmarks only; whoever does not call it does not load it.
target_link_options(tenon_dependencies INTERFACE LINKER:--as-needed)
target_link_libraries(tenon_dependencies INTERFACE ${TENON_OPENBLAS} ${TENON_CVODE} ${TENON_IDA} ${TENON_NVEC}
  ${TENON_SUNNLSFIXED}
  ${TENON_KLU} ${TENON_AMD} ${TENON_METIS} ${TENON_LAPACKE} ${TENON_YAML} PkgConfig::HDF5
  Threads::Threads ${CMAKE_DL_LIBS} m)
if(CAIRO_FOUND)
  find_library(TENON_CAIRO cairo HINTS ${CAIRO_LIBRARY_DIRS})
  tenon_loader_name(TENON_CAIRO_FILE ${TENON_CAIRO})
  target_include_directories(tenon_dependencies SYSTEM INTERFACE ${CAIRO_INCLUDE_DIRS})
  target_compile_definitions(tenon_dependencies INTERFACE TENON_HAVE_CAIRO TENON_CAIRO_FILE="${TENON_CAIRO_FILE}")
endif()
