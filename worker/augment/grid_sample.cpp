#include "augment/grid_sample.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/grid_sampler_2d_backward.h>
#include <torch/csrc/autograd/custom_function.h>

namespace ganscale::augment {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kBilinear = 0;
constexpr std::int64_t kZerosOutside = 0;

/// Spreads what belongs to output pixels over the pixels that they were read from: the transpose of
/// reading, and its gradient.
struct Spread : torch::autograd::Function<Spread> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gradient,
                            const at::Tensor& x, const at::Tensor& grid);
  static variable_list backward(AutogradContext* context, variable_list gradients);
};

struct Read : torch::autograd::Function<Read> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& grid) {
    context->save_for_backward({x, grid});
    return at::grid_sampler_2d(x, grid, kBilinear, kZerosOutside, /*align_corners=*/false);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    return {Spread::apply(gradients[0], saved[0].detach(), saved[1]), at::Tensor()};
  }
};

at::Tensor Spread::forward(AutogradContext* context, const at::Tensor& gradient,
                           const at::Tensor& x, const at::Tensor& grid) {
  context->save_for_backward({grid});
  return std::get<0>(at::grid_sampler_2d_backward(gradient.contiguous(), x, grid, kBilinear,
                                                  kZerosOutside, /*align_corners=*/false,
                                                  {true, false}));
}

variable_list Spread::backward(AutogradContext* context, variable_list gradients) {
  const auto grid = context->get_saved_variables()[0];
  return {Read::apply(gradients[0].contiguous(), grid), at::Tensor(), at::Tensor()};
}

}  // namespace

at::Tensor grid_sample(const at::Tensor& x, const at::Tensor& grid) { return Read::apply(x, grid); }

}  // namespace ganscale::augment
