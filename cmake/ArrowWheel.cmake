# Imported targets over the PyPI pyarrow wheel, which holds Arrow's C++ libraries and their headers; Debian packages neither.
#
#   ArrowWheel::parquet  libparquet and libarrow
#   ArrowWheel::s3       libarrow_s3 and libarrow
# They do not exist where TORCH_SITE has no pyarrow/ of this version.
include_guard()

set(arrow_version 2600)  # the end of the libraries' names: that of pyarrow 26.0
set(arrow_folder ${TORCH_SITE}/pyarrow)
if(EXISTS ${arrow_folder}/libparquet.so.${arrow_version})
  foreach(library arrow arrow_s3 parquet)
    add_library(ArrowWheel::lib${library} SHARED IMPORTED)
    set_target_properties(ArrowWheel::lib${library} PROPERTIES
                          IMPORTED_LOCATION ${arrow_folder}/lib${library}.so.${arrow_version})
  endforeach()
  target_include_directories(ArrowWheel::libarrow SYSTEM INTERFACE ${arrow_folder}/include)
  add_library(ArrowWheel::parquet INTERFACE IMPORTED)
  target_link_libraries(ArrowWheel::parquet INTERFACE ArrowWheel::libparquet ArrowWheel::libarrow)
  add_library(ArrowWheel::s3 INTERFACE IMPORTED)
  target_link_libraries(ArrowWheel::s3 INTERFACE ArrowWheel::libarrow_s3 ArrowWheel::libarrow)
else()
  message(STATUS "No pyarrow 26.0 in ${TORCH_SITE}: this build reads neither Parquet nor s3://")
endif()
