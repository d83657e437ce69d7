# Every third-party library, found once and for all folders. What each is for: docs/dependencies.md.
include_guard()

find_package(Threads REQUIRED)
include(TorchWheel)
if(GANSCALE_ARROW)
  include(ArrowWheel)
endif()
if(GANSCALE_CUDA)
  include(TorchCuda)
endif()
if(GANSCALE_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
endif()

# Not beside the folders in PATH, where an active conda environment has its own fmt and yaml-cpp. nvcc and MPI, above, are found there.
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
find_package(yaml-cpp REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)  # the 0.7 package calls it by its bare name
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
find_package(fmt REQUIRED) # header-only: LibTorch brings headers of another version, without its library
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(GIF REQUIRED)
find_package(TIFF REQUIRED)
include(WebP)
find_package(LibArchive REQUIRED)
find_package(Freetype REQUIRED)
find_library(ISAL_LIBRARY isal REQUIRED)  # crc32_iscsi(): the CRC32C of TFRecord files

if(GANSCALE_MP4)
  include(Libav)
endif()

if(GANSCALE_SERVICES)  # and the operator
  find_path(VALIJSON_FOLDER valijson/validator.hpp REQUIRED)  # headers only; JSON schemas
  add_library(valijson INTERFACE)
  target_include_directories(valijson SYSTEM INTERFACE ${VALIJSON_FOLDER})
  find_package(cpprestsdk REQUIRED)
  find_package(prometheus-cpp REQUIRED COMPONENTS core)
endif()
if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
unset(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH)
