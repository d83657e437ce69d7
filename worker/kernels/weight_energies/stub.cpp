#include "base/error.h"
#include "kernels/weight_energies/fill.h"

namespace ganscale::kernels {

void weight_energies_kernel(std::span<const EnergyArrays>, ScalarType, void*) {
  throw DeviceError("weight_energies on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
