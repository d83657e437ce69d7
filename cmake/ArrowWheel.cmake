# Imported target over the PyPI pyarrow wheel, which holds Arrow's C++ libraries and their headers; Debian packages neither.
#
#   ArrowWheel::parquet  libparquet and libarrow; does not exist where TORCH_SITE has no pyarrow/ of this version
include_guard()

set(arrow_version 2600)  # the end of the libraries' names: that of pyarrow 26.0
set(arrow_folder ${TORCH_SITE}/pyarrow)
if(EXISTS ${arrow_folder}/libparquet.so.${arrow_version})
  foreach(library arrow parquet)
    add_library(ArrowWheel::lib${library} SHARED IMPORTED)
    set_target_properties(ArrowWheel::lib${library} PROPERTIES
                          IMPORTED_LOCATION ${arrow_folder}/lib${library}.so.${arrow_version})
  endforeach()
  add_library(ArrowWheel::parquet INTERFACE IMPORTED)
  target_include_directories(ArrowWheel::parquet SYSTEM INTERFACE ${arrow_folder}/include)
  target_link_libraries(ArrowWheel::parquet INTERFACE ArrowWheel::libparquet ArrowWheel::libarrow)
else()
  message(STATUS "No pyarrow 26.0 in ${TORCH_SITE}: this build reads no Parquet")
endif()
