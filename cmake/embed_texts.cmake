# embed_texts(RESULT FILE...)
#
# Sets RESULT to the entries of a C++ map from the stem of each file's name to its text, for configure_file to put
# between braces. A change of a file reconfigures the build.
include_guard()

function(embed_texts result)
  set(entries "")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM name)
    file(READ ${file} text)
    string(APPEND entries "\n      {\"${name}\", R\"~~(${text})~~\"},")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(${result} "${entries}" PARENT_SCOPE)
endfunction()
