#include "losses/path_length.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

namespace ganscale::losses {

at::Tensor path_lengths(const at::Tensor& images, const at::Tensor& w, const at::Tensor& noise) {
  const double scale = 1 / std::sqrt(static_cast<double>(images.size(2) * images.size(3)));
  const auto gradient =
      torch::autograd::grad({(images * (noise * scale)).sum()}, {w}, /*grad_outputs=*/{},
                            /*retain_graph=*/true, /*create_graph=*/true)[0];
  return gradient.square().sum(2).mean(1).sqrt();
}

}  // namespace ganscale::losses
