# LibTorch's headers take ten times longer to parse than one of our files takes to compile. They are precompiled in two sizes, and
# a target uses the smaller one that its sources need, or none: each costs time to load, the larger one seconds. A target with
# other options gets a warning, and so an error, of -Winvalid-pch. That each header of ours names what it needs is
# HeaderCheck.cmake's.
include_guard()

set(header_of_tensor <ATen/core/Tensor.h>)
set(header_of_torch <torch/nn/module.h>)

# ganscale_precompiled_headers(SUFFIX [HEADERS ...] [DEPENDS ...] [OPTIONS ...])
#
# Precompiles both sizes, as precompiled_tensor<SUFFIX> and precompiled_torch<SUFFIX>, with other headers and options beside
# those of the calling folder.
function(ganscale_precompiled_headers suffix)
  cmake_parse_arguments(arg "" "" "HEADERS;DEPENDS;OPTIONS" ${ARGN})
  foreach(size tensor torch)
    set(name precompiled_${size}${suffix})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${name} PRIVATE TorchWheel::cpu ${arg_DEPENDS})
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${header_of_${size}} ${arg_HEADERS})
  endforeach()
endfunction()

# Sets `result` to all that a file of ours includes, by itself or by headers of ours.
function(ganscale_includes path result)
  get_property(known GLOBAL PROPERTY includes_of_${path} SET)
  if(NOT known)
    set_property(GLOBAL PROPERTY includes_of_${path} "")  # of a file that is generated later, and where headers include each other
    set(includes "")
    if(EXISTS ${path})
      file(STRINGS ${path} includes REGEX "^#include ")
    endif()
    list(TRANSFORM includes REPLACE "^#include [<\"]([^>\"]*).*" "\\1")
    foreach(include IN LISTS includes)
      foreach(root worker operator tests benchmarks)
        if(EXISTS ${PROJECT_SOURCE_DIR}/${root}/${include} AND NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${root}/${include})
          ganscale_includes(${PROJECT_SOURCE_DIR}/${root}/${include} brought)
          list(APPEND includes ${brought})
        endif()
      endforeach()
    endforeach()
    list(REMOVE_DUPLICATES includes)
    set_property(GLOBAL PROPERTY includes_of_${path} "${includes}")
  endif()
  get_property(includes GLOBAL PROPERTY includes_of_${path})
  set(${result} "${includes}" PARENT_SCOPE)
endfunction()

# Sets `result` to the size that files need: tensor, torch, or nothing. It is read when CMake configures: until it does so again,
# a file whose includes have changed may take longer to compile, or find in the larger size what it forgot to include.
function(ganscale_size_for result)
  set(${result} nothing PARENT_SCOPE)
  foreach(path IN LISTS ARGN)
    ganscale_includes(${path} includes)
    list(FILTER includes INCLUDE REGEX "^(ATen|torch|c10)/")
    if(includes)
      set(${result} tensor PARENT_SCOPE)
    endif()
    # What the header of a tensor does not bring, and takes long: the list of all operators, autograd and modules.
    list(FILTER includes INCLUDE REGEX "^torch/|^ATen/(ATen|Functions|TensorOperators|Parallel|Context)\\.h$")
    if(includes)
      set(${result} torch PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Lets every target of a folder, and of the folders in it, use precompiled headers.
#   ganscale_use_precompiled_headers(SUFFIX FOLDER)
#
# Where GANSCALE_NO_HOT_LOOPS is an option of a folder, it uses those with the suffix _of_no_hot_loops, if there are any: GCC
# compiles at the level of optimization that the headers were precompiled at.
function(ganscale_use_precompiled_headers suffix folder)
  get_property(options DIRECTORY ${folder} PROPERTY COMPILE_OPTIONS)
  if("${GANSCALE_NO_HOT_LOOPS}" IN_LIST options AND TARGET precompiled_torch_of_no_hot_loops)
    set(suffix _of_no_hot_loops)
  endif()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(EXECUTABLE|STATIC_LIBRARY)$")
      get_target_property(sources ${target} SOURCES)
      list(FILTER sources INCLUDE REGEX "\\.cpp$")
      get_property(source_folder TARGET ${target} PROPERTY SOURCE_DIR)
      list(TRANSFORM sources PREPEND ${source_folder}/ REGEX "^[^/]")
      ganscale_size_for(size ${sources})
      if(NOT size STREQUAL nothing)
        target_precompile_headers(${target} REUSE_FROM precompiled_${size}${suffix})
      endif()
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    ganscale_use_precompiled_headers("${suffix}" ${inner})
  endforeach()
endfunction()

ganscale_precompiled_headers("")
if(CMAKE_BUILD_TYPE STREQUAL Release)
  ganscale_precompiled_headers(_of_no_hot_loops OPTIONS ${GANSCALE_NO_HOT_LOOPS})
endif()
