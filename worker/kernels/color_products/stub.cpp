#include "kernels/color_products/fill.h"
#include "kernels/launch/refuse_without_cuda.h"

namespace ganscale::kernels {

void color_products_kernel(const ColorProductsArrays&, const ColorLayout&, void*) {
  refuse_without_cuda("color_products");
}

}  // namespace ganscale::kernels
