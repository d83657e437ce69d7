# ganscale_module(NAME SOURCES ... HEADERS ... DEPENDS ... [PRIVATE_DEPENDS ...]
#                 [CUDA_SOURCES ... CPU_SOURCES ...]
#                 [OPTION condition OPTIONAL_SOURCES ... [OPTIONAL_HEADERS ...] [OPTIONAL_DEPENDS ...]
#                  [OPTIONAL_PRIVATE_DEPENDS ...] STUB_SOURCES ...])
#
# One static library per folder, named ganscale::NAME. DEPENDS is the only place where a folder may name a
# lower one; the libraries that only its sources need go to PRIVATE_DEPENDS. A folder may also be a pure
# interface (HEADERS and no SOURCES).
#
# What needs CUDA or NCCL has a stub (*_stub.cpp) that does not. CUDA_SOURCES (.cu, and .cpp that include CUDA's or NCCL's
# headers) are compiled with GANSCALE_CUDA and see TorchWheel::cuda; CPU_SOURCES, which define the same
# functions, are compiled without it:
#   ganscale_module(comm_backends
#     SOURCES comm_thread.cpp counting_group.cpp launcher.cpp ...
#     CUDA_SOURCES nccl_group.cpp CPU_SOURCES nccl_stub.cpp
#     ...)
#
# What needs another library that a build may lack is the same: OPTIONAL_... is added where the condition of if() holds,
# and STUB_SOURCES, which refuse at run time, where it does not:
#   OPTION TARGET ArrowWheel::s3 OPTIONAL_SOURCES s3_storage.cpp OPTIONAL_PRIVATE_DEPENDS ArrowWheel::s3
#   STUB_SOURCES s3_storage_stub.cpp
include_guard()

# Warnings are errors with the compilers that we test with: a newer one's new warnings must not stop a user.
set(known_compiler $<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>)
set(GANSCALE_WARNINGS $<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
                      $<$<AND:$<COMPILE_LANGUAGE:CXX>,${known_compiler}>:-Werror>
                      # GCC 12 takes "a" + std::to_string(b) for an overlapping or endless copy (its bug 105651), above all from
                      # precompiled headers
                      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
                      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow>
                      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds>
                      # and a source of a unity build for a header, whose types others might see
                      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>
                      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
                      $<$<AND:$<COMPILE_LANGUAGE:CUDA>,${known_compiler}>:-Werror=all-warnings>)

if(GANSCALE_SANITIZE)
  # GCC takes std::regex for uninitialized under -fsanitize
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  add_compile_options(-fsanitize=${GANSCALE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GANSCALE_SANITIZE})
  if(GANSCALE_SANITIZE MATCHES undefined AND NOT GANSCALE_FUZZ)
    # Half the time to compile, for checks of every pointer that AddressSanitizer makes better, or that x86 does not need.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()
if(GANSCALE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# GCC would collect garbage dozens of times in each file, and go through all that is precompiled: a tenth of the time to compile.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1500000>)

# For folders that parse and wait, or compute with LibTorch's operators only: a third less time to compile.
set(GANSCALE_NO_HOT_LOOPS $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)

include(PrecompiledHeaders)  # with the options above
include(HeaderCheck)

function(ganscale_module name)
  set(lists SOURCES HEADERS DEPENDS PRIVATE_DEPENDS)
  set(optional_lists ${lists})
  list(TRANSFORM optional_lists PREPEND OPTIONAL_)
  cmake_parse_arguments(arg "" "" "${lists};CUDA_SOURCES;CPU_SOURCES;OPTION;${optional_lists};STUB_SOURCES" ${ARGN})
  if(arg_OPTION)
    if(${arg_OPTION})
      foreach(list IN LISTS lists)
        list(APPEND arg_${list} ${arg_OPTIONAL_${list}})
      endforeach()
    else()
      list(APPEND arg_SOURCES ${arg_STUB_SOURCES})
    endif()
  endif()
  if(GANSCALE_CUDA)
    list(APPEND arg_SOURCES ${arg_CUDA_SOURCES})
    if(arg_CUDA_SOURCES)
      list(APPEND arg_PRIVATE_DEPENDS TorchWheel::cuda)
    endif()
  else()
    list(APPEND arg_SOURCES ${arg_CPU_SOURCES})
  endif()
  list(FILTER arg_CUDA_SOURCES INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${arg_CUDA_SOURCES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(target ganscale_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  if(NOT arg_SOURCES)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
  add_library(ganscale::${name} ALIAS ${target})
  # Includes are written from worker/ or operator/, however deep the folder lies.
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  string(REGEX MATCH "^[a-z]+" root ${folder})
  set(root ${PROJECT_SOURCE_DIR}/${root})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${root}
                                  FILES ${arg_HEADERS})
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE ${GANSCALE_WARNINGS})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${root} OUTPUT_VARIABLE folder)
  list(TRANSFORM arg_HEADERS PREPEND ${folder}/)
  ganscale_check_headers(${target} ${root} ${arg_HEADERS})
endfunction()

# ganscale_rooms(FOLDER ...)
#
# Adds the subfolders of a folder, from the lowest layer to the highest.
function(ganscale_rooms)
  foreach(room IN LISTS ARGN)
    add_subdirectory(${room})
  endforeach()
endfunction()

foreach(label unit threaded collective sanitizer integration parity gpu)
  add_custom_target(${label}_tests)
endforeach()

# Sets `result` to the labels of a test: its own; threaded; and sanitizer, if the sanitizers of this build run it in `make check`
# (ThreadSanitizer: what is THREADED). Those that compute with tensors, most of whose time is LibTorch's, which is not
# instrumented, they run in `make check-long`.
function(ganscale_labels result label threads tensors)
  set(labels ${label})
  if(threads)
    list(APPEND labels threaded)
  endif()
  if(label MATCHES "^(unit|collective)$" AND NOT tensors)
    if(threads STREQUAL THREADED OR label STREQUAL collective OR NOT GANSCALE_SANITIZE MATCHES thread)
      list(APPEND labels sanitizer)
    endif()
  endif()
  set(${result} ${labels} PARENT_SCOPE)
endfunction()

# ganscale_test(NAME LABEL unit|collective|... [THREADED|USES_THREADS] [TENSORS] SOURCES ... DEPENDS ... [TIMEOUT seconds])
#
# One GoogleTest program; one ctest case with the given label. The target LABEL_tests builds all programs of a
# label. THREADED: what it tests has threads, so that ThreadSanitizer should see it: it has the label threaded, too.
# USES_THREADS: the same, but of the threads of other folders, which have tests of their own: only in `make check-long`.
# TENSORS: what it tests computes with LibTorch rather than touching memory itself (see ganscale_labels).
function(ganscale_test name)
  cmake_parse_arguments(arg "THREADED;USES_THREADS;TENSORS" "LABEL;TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(GANSCALE_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${GANSCALE_WARNINGS})
  set(threads "")
  if(arg_THREADED)
    set(threads THREADED)
  elseif(arg_USES_THREADS)
    set(threads USES_THREADS)
  endif()
  ganscale_labels(labels ${arg_LABEL} "${threads}" ${arg_TENSORS})
  foreach(label IN LISTS labels)
    add_dependencies(${label}_tests ${name})
  endforeach()
  # One ctest case a program: a process for each GoogleTest case would load LibTorch hundreds of times.
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # It computes on one core: three of the slots of scripts/test.sh. Further threads would wait for each other while other tests
  # have the cores. What may take long starts first.
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT} COST ${arg_TIMEOUT} PROCESSORS 3
                       ENVIRONMENT "OMP_NUM_THREADS=1;OMP_WAIT_POLICY=passive")
endfunction()
