#pragma once

#include <ATen/Functions.h>

#include <vector>

#include "kernels/multi_tensor_adam/multi_tensor_adam.h"

namespace ganscale::kernels {

/// Parameters of these shapes, numbers of which no two are alike; steps 1, 2, 3, 1, 2, ...
inline AdamTensors adam_case(const std::vector<std::vector<std::int64_t>>& shapes,
                             at::ScalarType dtype) {
  AdamTensors made;
  double offset = 0;
  const auto numbers = [&](const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) count *= length;
    offset += 0.7;
    return at::arange(count, at::kDouble).mul(0.37).add(offset).sin().view(shape).to(dtype);
  };
  for (const auto& shape : shapes) {
    made.parameters.push_back(numbers(shape));
    made.gradients.push_back(numbers(shape));
    made.first_moments.push_back(numbers(shape));
    made.second_moments.push_back(numbers(shape).square());
    made.averages.push_back(numbers(shape));
    made.steps.push_back(
        at::zeros({}, at::kFloat).add(static_cast<double>(made.steps.size() % 3 + 1)));
  }
  return made;
}

}  // namespace ganscale::kernels
