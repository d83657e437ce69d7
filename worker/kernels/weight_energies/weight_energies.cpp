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

/// Computes energies or, given their gradients, the weights' gradients. All are contiguous.
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

struct Energies : torch::autograd::Function<Energies> {
  static variable_list forward(AutogradContext* context, at::TensorList weights,
                               KeptResults* kept) {
    context->set_materialize_grads(false);
    context->save_for_backward(weights.vec());
    if (!takes_kernels(weights.front())) {
      variable_list out;
      for (const at::Tensor& weight : weights) out.push_back(weight.square().sum({2, 3}));
      return out;
    }
    const auto allocate = [&] {
      variable_list out;
      for (const at::Tensor& weight : weights) out.push_back(empty_energies(weight));
      return out;
    };
    const auto fill = [&](const variable_list& out) { launch_weight_energies(weights, out); };
    return results_of({.sources = weights, .allocate = allocate, .fill = fill}, kept);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto weights = context->get_saved_variables();
    variable_list result(weights.size() + 1);  // none of kept
    variable_list used;
    variable_list dense_gradients;
    variable_list out;
    const bool one_by_one = at::GradMode::is_enabled() || !takes_kernels(weights.front());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!gradients[i].defined() || !context->needs_input_grad(i)) continue;
      if (one_by_one) {
        result[i] = gradient_by_energies(weights[i], gradients[i]);
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

void launch_weight_energies(at::TensorList weights, at::TensorList out) {
  variable_list dense;
  for (const at::Tensor& weight : weights) dense.push_back(weight.contiguous());
  compute_energies_on_device(dense, {}, out);
}

at::Tensor empty_energies(const at::Tensor& weight) {
  return at::empty({weight.size(0), weight.size(1)}, weight.options());
}

at::Tensor gradient_by_energies(const at::Tensor& weight, const at::Tensor& gradient) {
  return weight * (2 * gradient).unsqueeze(2).unsqueeze(3);
}

std::vector<at::Tensor> weight_energies(const std::vector<at::Tensor>& weights, KeptResults* kept) {
  for (const at::Tensor& weight : weights) {
    check(weight.dim() == 4 && weight.scalar_type() == weights.front().scalar_type(),
          "weight_energies takes weights [out, in, K, K] of one type");
  }
  return Energies::apply(at::TensorList(weights), kept);
}

}  // namespace ganscale::kernels
