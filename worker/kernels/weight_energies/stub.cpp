#include "kernels/launch/refuse_without_cuda.h"
#include "kernels/weight_energies/fill.h"

namespace ganscale::kernels {

void weight_energies_kernel(std::span<const EnergyArrays>, ScalarType, void*) {
  refuse_without_cuda("weight_energies");
}

}  // namespace ganscale::kernels
