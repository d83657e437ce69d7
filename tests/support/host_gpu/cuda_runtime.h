#pragma once

/// Stands in for CUDA's header, which adds what only nvcc compiles and brings.
#include <cuda_runtime_api.h>
