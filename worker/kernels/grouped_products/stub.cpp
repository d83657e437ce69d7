#include "kernels/grouped_products/fill.h"
#include "kernels/launch/refuse_without_cuda.h"

namespace ganscale::kernels {

void grouped_products_kernel(std::span<const ProductPlace>, std::span<const ProductTerm>,
                             ScalarType, void*) {
  refuse_without_cuda("grouped_products");
}

}  // namespace ganscale::kernels
