# Run by ctest: cmake -DFOLDER=... -P check_depends_test.cmake. Plants a folder in a small tree of its own, and looks whether
# check_depends.cmake takes or refuses what its CMakeLists.txt names.

# A header includes low/a.h and a source includes low/inner/b.h.
#   expect(takes|refuses ARGUMENTS_OF_GANSCALE_MODULE)
function(expect verdict arguments)
  file(REMOVE_RECURSE ${FOLDER})
  file(WRITE ${FOLDER}/worker/low/CMakeLists.txt "ganscale_module(low\n  HEADERS a.h)\n")
  file(WRITE ${FOLDER}/worker/high/high.h "#include <string>\n\n#include \"low/a.h\"\n")
  file(WRITE ${FOLDER}/worker/high/high.cpp "#include \"high/high.h\"\n\n#include \"low/inner/b.h\"\n")
  file(WRITE ${FOLDER}/worker/high/CMakeLists.txt
       "# A comment (with brackets)\nganscale_module(high\n  SOURCES high.cpp\n  HEADERS high.h\n  ${arguments})\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${FOLDER}/worker -P ${CMAKE_CURRENT_LIST_DIR}/check_depends.cmake
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE words)
  if(verdict STREQUAL "takes" AND NOT status EQUAL 0)
    message(FATAL_ERROR "refused ${arguments}: ${words}")
  elseif(verdict STREQUAL "refuses" AND NOT words MATCHES "high/CMakeLists.txt")
    message(FATAL_ERROR "took ${arguments}: ${words}")
  endif()
endfunction()

expect(takes "DEPENDS ganscale::low Threads::Threads PRIVATE_DEPENDS ganscale::low_inner fmt::fmt-header-only")
expect(takes "DEPENDS ganscale::low ganscale::low_inner")
expect(refuses "DEPENDS ganscale::low ganscale::base")                                      # which nothing includes
expect(refuses "DEPENDS ganscale::low PRIVATE_DEPENDS ganscale::low_inner ganscale::base")
expect(refuses "DEPENDS ganscale::low OPTION ON OPTIONAL_DEPENDS ganscale::base")
expect(refuses "PRIVATE_DEPENDS ganscale::low ganscale::low_inner")                         # which a header includes
