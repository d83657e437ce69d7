#include "kernels/color_products/fill.h"
#include "kernels/launch/refuse_without_cuda.h"

namespace ganscale::kernels {

void color_products_kernel(const ColorsArrays&, const ColorLayout&, void*) {
  refuse_without_cuda("color_products");
}

void color_products_kernel(const FeaturesArrays&, const ColorLayout&, void*) {
  refuse_without_cuda("color_products");
}

void color_products_kernel(const ColorWeightsArrays&, const ColorLayout&, void*) {
  refuse_without_cuda("color_products");
}

}  // namespace ganscale::kernels
