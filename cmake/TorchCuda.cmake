# The CUDA language and TorchWheel::cuda. Included with GANSCALE_CUDA, after TorchWheel.
#
# nvcc is CUDACXX, else the wheel's (scripts/requirements/cuda.txt) if it is there, else the installed toolkit's.
include_guard()

foreach(needed cu13/lib/libcudart.so.13 cudnn/lib/libcudnn.so.9 nccl/lib/libnccl.so.2)
  if(NOT EXISTS ${nvidia_folder}/${needed})
    message(FATAL_ERROR "GANSCALE_CUDA needs the whole torch wheel, but this is missing: ${nvidia_folder}/${needed}\n"
                        "Run `scripts/setup.sh cuda`.")
  endif()
endforeach()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS ${nvidia_folder}/cu13/bin/nvcc)
  set(CMAKE_CUDA_COMPILER ${nvidia_folder}/cu13/bin/nvcc CACHE FILEPATH "CUDA compiler")
endif()
# CMake takes any version. Headers of an older one do not fit the libraries below.
if(CMAKE_CUDA_COMPILER)
  set(nvcc ${CMAKE_CUDA_COMPILER})
elseif(NOT "$ENV{CUDACXX}" STREQUAL "")
  get_filename_component(nvcc "$ENV{CUDACXX}" PROGRAM)
else()
  find_program(nvcc nvcc PATHS $ENV{CUDA_PATH}/bin NO_CACHE)
endif()
if(nvcc)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE nvcc_version ERROR_QUIET)
endif()
if(nvcc_version MATCHES "release ([0-9.]+)" AND CMAKE_MATCH_1 VERSION_LESS 13)
  message(FATAL_ERROR "GANSCALE_CUDA needs an nvcc of CUDA 13 or newer, and this one is of CUDA ${CMAKE_MATCH_1}: ${nvcc}\n"
                      "Name a newer one with CUDACXX=FILE, or unset CUDACXX and run `scripts/setup.sh cuda`, which brings one. "
                      "If the old one has configured ${CMAKE_BINARY_DIR}, remove that folder first.")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90-real;100-real;120" CACHE STRING "A100; H100; B200; RTX 50 and, by its PTX, what comes after")
endif()
if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER)
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # one runtime in the process: libtorch's, linked below

# Ubuntu's gcc drops a library of which no symbol is used; libtorch_cuda registers its kernels when it is loaded.
foreach(language CXX CUDA)
  set(CMAKE_${language}_LINK_LIBRARY_USING_always_needed_SUPPORTED TRUE)
  set(CMAKE_${language}_LINK_LIBRARY_USING_always_needed
      "LINKER:--push-state,--no-as-needed" "<LINK_ITEM>" "LINKER:--pop-state")
endforeach()

foreach(library c10_cuda torch_cuda)
  add_library(TorchWheel::${library} SHARED IMPORTED)
  set_target_properties(TorchWheel::${library} PROPERTIES IMPORTED_LOCATION ${torch_folder}/lib/lib${library}.so)
endforeach()
add_library(TorchWheel::cudart SHARED IMPORTED)
set_target_properties(TorchWheel::cudart PROPERTIES
  IMPORTED_LOCATION ${nvidia_folder}/cu13/lib/libcudart.so.13)
target_include_directories(TorchWheel::cudart SYSTEM INTERFACE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
add_library(TorchWheel::nccl SHARED IMPORTED)
set_target_properties(TorchWheel::nccl PROPERTIES IMPORTED_LOCATION ${nvidia_folder}/nccl/lib/libnccl.so.2)
target_include_directories(TorchWheel::nccl SYSTEM INTERFACE ${nvidia_folder}/nccl/include)

add_library(TorchWheel::cuda INTERFACE IMPORTED)
target_include_directories(TorchWheel::cuda SYSTEM INTERFACE ${nvidia_folder}/cudnn/include)
target_link_libraries(TorchWheel::cuda INTERFACE TorchWheel::cpu "$<LINK_LIBRARY:always_needed,TorchWheel::torch_cuda>"
                                                 TorchWheel::c10_cuda TorchWheel::cudart TorchWheel::nccl)
foreach(wheel cu13 cudnn cusparselt nccl nvshmem)
  target_link_options(TorchWheel::cuda INTERFACE LINKER:-rpath-link,${nvidia_folder}/${wheel}/lib)
endforeach()
