# LibTorch's headers take ten times longer to parse than one of our files takes to compile. Precompiled once, they serve
# every target that uses LibTorch. A target with other options gets a warning, and so an error, of
# -Winvalid-pch. That each header of ours names what it needs is HeaderCheck.cmake's.
include_guard()

# ganscale_precompiled_headers(NAME HEADERS ... DEPENDS ... [OPTIONS ...])
#
# Precompiles headers with the options of the calling folder, and others.
function(ganscale_precompiled_headers name)
  cmake_parse_arguments(arg "" "" "HEADERS;DEPENDS;OPTIONS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# Sets `result` to whether one of the libraries is LibTorch or brings it along.
function(ganscale_bring_torch result)
  set(${result} FALSE PARENT_SCOPE)
  foreach(library IN LISTS ARGN)
    if(library STREQUAL TorchWheel::cpu)
      set(${result} TRUE PARENT_SCOPE)
      return()
    elseif(TARGET ${library})
      get_target_property(brought ${library} INTERFACE_LINK_LIBRARIES)
      ganscale_bring_torch(found ${brought})
      if(found)
        set(${result} TRUE PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
endfunction()

# Lets every target of a folder, and of the folders in it, that uses LibTorch use precompiled headers, and compiles it with
# the options that those need.
#   ganscale_use_precompiled_headers(NAME FOLDER [OPTION...])
#
# Where GANSCALE_NO_HOT_LOOPS is an option of a folder, it uses NAME_of_no_hot_loops, if there is one: GCC compiles at the level of
# optimization that the headers were precompiled at.
function(ganscale_use_precompiled_headers name folder)
  set(lender ${name})
  get_property(options DIRECTORY ${folder} PROPERTY COMPILE_OPTIONS)
  if("${GANSCALE_NO_HOT_LOOPS}" IN_LIST options AND TARGET ${name}_of_no_hot_loops)
    set(lender ${name}_of_no_hot_loops)
  endif()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(EXECUTABLE|STATIC_LIBRARY)$")
      get_target_property(libraries ${target} LINK_LIBRARIES)
      ganscale_bring_torch(found ${libraries})
      if(found)
        target_precompile_headers(${target} REUSE_FROM ${lender})
        target_compile_options(${target} PRIVATE ${ARGN})
      endif()
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    ganscale_use_precompiled_headers(${name} ${inner} ${ARGN})
  endforeach()
endfunction()

ganscale_precompiled_headers(precompiled_torch HEADERS <torch/nn/module.h> DEPENDS TorchWheel::cpu)
if(CMAKE_BUILD_TYPE STREQUAL Release)
  ganscale_precompiled_headers(precompiled_torch_of_no_hot_loops HEADERS <torch/nn/module.h> DEPENDS TorchWheel::cpu
                                                                 OPTIONS ${GANSCALE_NO_HOT_LOOPS})
endif()
