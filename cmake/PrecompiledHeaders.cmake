# LibTorch's headers take ten times longer to parse than one of our files takes to compile. Precompiled once, they serve
# every target that uses LibTorch. A target with other options gets a warning, and so an error, of
# -Winvalid-pch. That each header of ours names what it needs is HeaderCheck.cmake's.
include_guard()

# ganscale_precompiled_headers(NAME HEADERS ... DEPENDS ...)
#
# Precompiles headers with the options of the calling folder.
function(ganscale_precompiled_headers name)
  cmake_parse_arguments(arg "" "" "HEADERS;DEPENDS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
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
function(ganscale_use_precompiled_headers name folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(EXECUTABLE|STATIC_LIBRARY)$")
      get_target_property(libraries ${target} LINK_LIBRARIES)
      ganscale_bring_torch(found ${libraries})
      if(found)
        target_precompile_headers(${target} REUSE_FROM ${name})
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
