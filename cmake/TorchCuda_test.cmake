# Run by ctest: cmake -DFOLDER=... -P TorchCuda_test.cmake. Looks which versions of nvcc TorchCuda.cmake refuses, with scripts that
# say to be one. With one that it takes it fails at enable_language(), which a script may not call.
file(REMOVE_RECURSE ${FOLDER})
foreach(library cu13/lib/libcudart.so.13 cudnn/lib/libcudnn.so.9 nccl/lib/libnccl.so.2)
  file(WRITE ${FOLDER}/nvidia/${library} "")
endforeach()

function(expect verdict version variable value)
  set(nvcc ${FOLDER}/${version}/bin/nvcc)
  file(WRITE ${nvcc} "#!/bin/sh\necho 'Cuda compilation tools, release ${version}, V${version}.88'\n")
  file(CHMOD ${nvcc} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=CUDACXX --unset=CUDA_PATH ${variable}=${value}
                          ${CMAKE_COMMAND} -Dnvidia_folder=${FOLDER}/nvidia ${ARGN} -P ${CMAKE_CURRENT_LIST_DIR}/TorchCuda.cmake
                  OUTPUT_QUIET ERROR_VARIABLE words)
  string(REGEX REPLACE "[ \n]+" " " words "${words}")
  set(refusal "needs an nvcc of CUDA 13 or newer, and this one is of CUDA ${version}: ${nvcc} ")
  string(FIND "${words}" "${refusal}" at)
  if(verdict STREQUAL "refuses" AND at EQUAL -1)
    message(FATAL_ERROR "took an nvcc of CUDA ${version} by ${variable}: ${words}")
  elseif(verdict STREQUAL "takes" AND NOT words MATCHES "enable_language")
    message(FATAL_ERROR "refused an nvcc of CUDA ${version} by ${variable}: ${words}")
  endif()
endfunction()

expect(refuses 12.9 CUDACXX ${FOLDER}/12.9/bin/nvcc)
expect(refuses 9.2 CUDACXX "${FOLDER}/9.2/bin/nvcc -Wno-deprecated-gpu-targets")
expect(refuses 12.8 PATH ${FOLDER}/12.8/bin:$ENV{PATH})
expect(refuses 12.0 CUDACXX "" -DCMAKE_CUDA_COMPILER=${FOLDER}/12.0/bin/nvcc)
expect(takes 13.0 CUDACXX ${FOLDER}/13.0/bin/nvcc)
expect(takes 13.2 PATH ${FOLDER}/13.2/bin:$ENV{PATH})
