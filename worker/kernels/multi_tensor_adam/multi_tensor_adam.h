#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/multi_tensor_adam/fill.h"

namespace ganscale::kernels {

/// What an update works on: entry i of each list belongs to parameter i.
struct AdamTensors {
  std::vector<at::Tensor> parameters;  ///< float32 or float64, all alike and on one device; dense
  std::vector<at::Tensor> gradients;   ///< of the parameters' shape, dtype and strides, as those
  std::vector<at::Tensor> first_moments;
  std::vector<at::Tensor> second_moments;
  std::vector<at::Tensor> averages;  ///< empty: none
  std::vector<at::Tensor> steps;     ///< float32 scalars on that device, this update included
  at::Tensor skip = {};  ///< float32 scalar on that device: not 0 if only averages are to move
};

/// Does one update of all parameters, in place and without graph, in one pass over memory: moments,
/// parameters and their averages, beta * average + (1 - beta) * parameter.
///
/// Papers: Kingma & Ba 2015, arXiv:1412.6980, Algorithm 1; Loshchilov & Hutter 2019,
///         arXiv:1711.05101, Algorithm 2 (the decay is learning_rate * weight_decay, as in
///         PyTorch).
void multi_tensor_adam(const AdamTensors& tensors, const AdamRule& rule, double average_beta = 0);

}  // namespace ganscale::kernels
