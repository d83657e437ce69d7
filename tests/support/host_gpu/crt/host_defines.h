#pragma once

/// Stands in for CUDA's header where the wheel of nvcc, which brings it, is not installed
/// (`scripts/setup.sh cuda`): the words in the declarations of CUDA's runtime mean nothing to a
/// compiler of the host.

#define __host__
#define __device__
#define __cudart_builtin__
#define __device_builtin__
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define CUDARTAPI
