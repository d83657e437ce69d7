#include "kernels/weight_energies/weight_energies.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/launch/kernel_path.h"
#include "kernels/launch/on_device.h"
#include "kernels/weight_energies/fill.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Computes energies or, given their gradients, those of the weights. All are contiguous.
void compute_energies_on_device(at::TensorList weights, at::TensorList gradients,
                                at::TensorList out) {
  for (std::size_t begin = 0; begin < weights.size(); begin += kMostEnergyArrays) {
    const std::size_t count = std::min(weights.size() - begin, kMostEnergyArrays);
    const auto part = [&](at::TensorList of) {
      return of.slice(of.empty() ? 0 : begin, of.empty() ? 0 : count);
    };
    auto read = part(weights).vec();
    for (const at::Tensor& gradient : part(gradients)) read.push_back(gradient);
    launch_on_device("ganscale::weight_energies", {read, part(out)}, [&](void* stream) {
      std::vector<EnergyArrays> arrays;
      for (std::size_t i = begin; i < begin + count; ++i) {
        const at::Tensor& weight = weights[i];
        arrays.push_back({.out = out[i].mutable_data_ptr(),
                          .weight = weight.const_data_ptr(),
                          .gradient = gradients.empty() ? nullptr : gradients[i].const_data_ptr(),
                          .pair_count = static_cast<std::int32_t>(weight.size(0) * weight.size(1)),
                          .taps = static_cast<std::int32_t>(weight.size(2) * weight.size(3))});
      }
      weight_energies_kernel(arrays, scalar_type_of(weights.front().scalar_type()), stream);
    });
  }
}

/// The gradient of one weight, which has derivatives itself.
at::Tensor gradient_of_weight(const at::Tensor& weight, const at::Tensor& gradient) {
  return weight * (2 * gradient).unsqueeze(2).unsqueeze(3);
}

struct Energies : torch::autograd::Function<Energies> {
  static variable_list forward(AutogradContext* context, at::TensorList weights) {
    context->set_materialize_grads(false);
    context->save_for_backward(weights.vec());
    variable_list out;
    if (!takes_kernels(weights.front())) {
      for (const at::Tensor& weight : weights) out.push_back(weight.square().sum({2, 3}));
      return out;
    }
    variable_list dense;
    for (const at::Tensor& weight : weights) {
      dense.push_back(weight.contiguous());
      out.push_back(at::empty({weight.size(0), weight.size(1)}, weight.options()));
    }
    compute_energies_on_device(dense, {}, out);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto weights = context->get_saved_variables();
    variable_list result(weights.size());
    variable_list used;
    variable_list dense_gradients;
    variable_list out;
    const bool one_by_one = at::GradMode::is_enabled() || !takes_kernels(weights.front());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!gradients[i].defined() || !context->needs_input_grad(i)) continue;
      if (one_by_one) {
        result[i] = gradient_of_weight(weights[i], gradients[i]);
        continue;
      }
      used.push_back(weights[i].contiguous());
      dense_gradients.push_back(gradients[i].contiguous());
      result[i] = at::empty_like(used.back());
      out.push_back(result[i]);
    }
    if (!out.empty()) compute_energies_on_device(used, dense_gradients, out);
    return result;
  }
};

}  // namespace

std::vector<at::Tensor> weight_energies(const std::vector<at::Tensor>& weights) {
  for (const at::Tensor& weight : weights) {
    check(weight.dim() == 4 && weight.scalar_type() == weights.front().scalar_type(),
          "weight_energies takes weights [out, in, K, K] of one type");
  }
  return Energies::apply(at::TensorList(weights));
}

}  // namespace ganscale::kernels
