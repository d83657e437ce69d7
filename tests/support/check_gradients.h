#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <vector>

namespace ganscale {

using Tensors = std::vector<at::Tensor>;
using Function = std::function<at::Tensor(const Tensors&)>;

/// Returns numbers that look random and never change, in [-1, 1].
inline at::Tensor fixed_numbers(at::IntArrayRef shape, double phase) {
  const auto count = at::zeros(shape).numel();
  return at::sin(at::arange(count, at::kDouble) * 1.7 +
                 at::arange(count, at::kDouble).square() * 0.37 + phase)
      .view(shape);
}

/// Returns the gradients of a scalar by its inputs; zeros for an input that it does not depend on.
inline Tensors gradients_of(const at::Tensor& scalar, const Tensors& inputs, bool create_graph) {
  Tensors gradients(inputs.size());
  if (scalar.requires_grad())
    gradients = torch::autograd::grad({scalar}, inputs, {}, /*retain_graph=*/true, create_graph,
                                      /*allow_unused=*/true);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!gradients[i].defined()) gradients[i] = at::zeros_like(inputs[i]);
  }
  return gradients;
}

/// Expects the gradients of `scalar_of` to equal central differences, up to 1e-6 of their
/// largest value.
inline void expect_gradients_of_differences(const Function& scalar_of, const Tensors& inputs) {
  Tensors leaves;
  for (const auto& input : inputs) leaves.push_back(input.detach().clone().requires_grad_());
  const auto gradients = gradients_of(scalar_of(leaves), leaves, /*create_graph=*/false);
  constexpr double kStep = 1e-5;
  for (std::size_t which = 0; which < inputs.size(); ++which) {
    const auto expected = at::zeros_like(inputs[which]).contiguous();
    for (std::int64_t i = 0; i < expected.numel(); ++i) {
      const auto moved = [&](double step) {
        Tensors at_place;
        for (const auto& input : inputs)
          at_place.push_back(input.detach().clone().requires_grad_());
        {
          const at::NoGradGuard no_grad;
          at_place[which].view(-1)[i] += step;
        }
        return scalar_of(at_place).item<double>();
      };
      expected.view(-1)[i] = (moved(kStep) - moved(-kStep)) / (2 * kStep);
    }
    const double largest = std::max(expected.abs().max().item<double>(), 1e-3);
    EXPECT_LE((gradients[which] - expected).abs().max().item<double>(), 1e-6 * largest)
        << "input " << which;
  }
}

/// Expects the first and second derivatives of `function` at these float64 inputs to equal
/// finite differences; the second ones also by the gradient that the result is given.
inline void expect_two_derivatives(const Function& function, const Tensors& inputs) {
  const auto shape = function(inputs).sizes().vec();
  const auto weighted = [&](const Tensors& at_place) {
    return (function(at_place) * fixed_numbers(shape, 0.3)).sum();
  };
  expect_gradients_of_differences(weighted, inputs);
  Tensors with_gradient = inputs;
  with_gradient.push_back(fixed_numbers(shape, 0.3));
  expect_gradients_of_differences(
      [&](const Tensors& at_place) {
        const Tensors places(at_place.begin(), at_place.end() - 1);
        const auto sum_of_result = (function(places) * at_place.back()).sum();
        const auto gradients = gradients_of(sum_of_result, places, /*create_graph=*/true);
        at::Tensor sum = at::zeros({}, at::kDouble);
        for (std::size_t i = 0; i < gradients.size(); ++i) {
          const double phase = 1.1 + static_cast<double>(i);
          sum = sum + (gradients[i] * fixed_numbers(gradients[i].sizes(), phase)).sum();
        }
        return sum;
      },
      with_gradient);
}

}  // namespace ganscale
