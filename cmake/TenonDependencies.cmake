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
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
# PNG plots; everything else works without
pkg_check_modules(CAIRO IMPORTED_TARGET cairo)

# fixed-point solver and band/dense modules that CVODE needs live in libraries of their own
find_library(TENON_SUNNLSFIXED sundials_sunnonlinsolfixedpoint REQUIRED)
find_library(TENON_SUNSPARSE sundials_sunmatrixsparse REQUIRED)
find_library(TENON_SUNKLU sundials_sunlinsolklu REQUIRED)

add_library(tenon_dependencies INTERFACE)
target_include_directories(tenon_dependencies SYSTEM INTERFACE ${TENON_LAPACKE_INCLUDE}
  ${TENON_OPENBLAS_INCLUDE} ${TENON_KLU_INCLUDE} ${TENON_KLU_INCLUDE}/suitesparse ${TENON_YAML_INCLUDE} ${TENON_CVODE_INCLUDE})
target_link_libraries(tenon_dependencies INTERFACE ${TENON_CVODE} ${TENON_IDA} ${TENON_NVEC}
  ${TENON_SUNNLSFIXED} ${TENON_SUNSPARSE} ${TENON_SUNKLU}
  ${TENON_KLU} ${TENON_AMD} ${TENON_MUMPS} ${TENON_METIS} ${TENON_LAPACKE} ${TENON_OPENBLAS} ${TENON_YAML} PkgConfig::HDF5
  Threads::Threads m)
if(CAIRO_FOUND)
  target_link_libraries(tenon_dependencies INTERFACE PkgConfig::CAIRO)
  target_compile_definitions(tenon_dependencies INTERFACE TENON_HAVE_CAIRO)
endif()
