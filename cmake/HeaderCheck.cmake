# Each header compiles alone: the target `header_check` compiles a file for each that includes nothing else.
#
# A header may be lent what it includes anyway, by itself or by headers of ours, which are checked too: where these are
# LibTorch's large headers, they come precompiled. Which headers include them is read when CMake configures; after a change
# of includes, configure again (scripts/test.sh headers does).
include_guard()

add_custom_target(header_check)

# Adds headers of a target to the check.
#   ganscale_check_headers(TARGET ROOT HEADER...)     the headers as others include them, from this folder
function(ganscale_check_headers target root)
  foreach(header IN LISTS ARGN)
    ganscale_includes(${root}/${header} includes)
    if("torch/nn/module.h" IN_LIST includes)
      set(size torch)
    elseif("ATen/core/Tensor.h" IN_LIST includes)
      set(size tensor)
    else()
      set(size nothing)
    endif()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
    list(APPEND sources_with_${size} ${source})
  endforeach()
  foreach(size nothing tensor torch)
    if(sources_with_${size})
      set(check ${target}_headers_with_${size})
      add_library(${check} OBJECT EXCLUDE_FROM_ALL ${sources_with_${size}})
      set_target_properties(${check} PROPERTIES UNITY_BUILD OFF)
      target_link_libraries(${check} PRIVATE ${target})
      target_compile_options(${check} PRIVATE ${GANSCALE_WARNINGS})
      if(NOT size STREQUAL nothing)
        target_precompile_headers(${check} REUSE_FROM precompiled_${size})
      endif()
      add_dependencies(header_check ${check})
    endif()
  endforeach()
endfunction()
