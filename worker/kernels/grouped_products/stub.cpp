#include "base/error.h"
#include "kernels/grouped_products/fill.h"

namespace ganscale::kernels {

void grouped_products_kernel(std::span<const ProductPlace>, std::span<const ProductTerm>,
                             ScalarType, void*) {
  throw DeviceError("grouped_products on a CUDA device needs a build with GANSCALE_CUDA");
}

}  // namespace ganscale::kernels
