#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "kernels/launch/kernel_path.h"
#include "kernels/scaled_copies/compute.h"
#include "kernels/weight_energies/weight_energies.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Returns the gradient of a weight from its copy's and its energies', which may be undefined.
at::Tensor gradient_in_parts(const CopyGradient& of) {
  at::Tensor gradient;
  if (of.of_copy.defined()) {
    gradient = scaled_copies({{of.of_copy, of.factor}}, of.weight.scalar_type()).front();
  }
  if (!of.of_energies.defined()) return gradient;
  const at::Tensor by_energies = gradient_by_energies(of.weight, of.of_energies);
  return gradient.defined() ? gradient + by_energies : by_energies;
}

/// The results are the copies of all weights, then their energies.
struct WithEnergies : torch::autograd::Function<WithEnergies> {
  static variable_list forward(AutogradContext* context, at::TensorList weights,
                               const CopiesForm& form, KeptResults* kept) {
    context->set_materialize_grads(false);
    context->saved_data["factors"] = form.factors;
    context->save_for_backward(weights.vec());
    const auto allocate = [&] {
      variable_list out = empty_copies(weights, form);
      for (const at::Tensor& weight : weights) out.push_back(empty_energies(weight));
      return out;
    };
    const auto fill = [&](const variable_list& out) {
      const auto copies_end = out.begin() + static_cast<std::ptrdiff_t>(weights.size());
      copy_scaled(weights, form, {out.begin(), copies_end});
      launch_weight_energies(weights, variable_list(copies_end, out.end()));
    };
    return results_of(
        {.sources = weights, .form = form.numbers(), .allocate = allocate, .fill = fill}, kept);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto weights = context->get_saved_variables();
    const auto factors = context->saved_data["factors"].toDoubleVector();
    variable_list result(weights.size() + 2);  // none of form and kept
    std::vector<CopyGradient> in_one_pass;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!context->needs_input_grad(i)) continue;
      CopyGradient of{gradients[i], factors[i], weights[i], gradients[weights.size() + i]};
      if (at::GradMode::is_enabled() || !of.of_copy.defined() || !of.of_energies.defined()) {
        result[i] = gradient_in_parts(of);
        continue;
      }
      of.weight = of.weight.contiguous();
      of.of_energies = of.of_energies.contiguous();
      in_one_pass.push_back(of);
      places.push_back(i);
    }
    if (in_one_pass.empty()) return result;
    const auto computed = gradients_of_weights(in_one_pass);
    for (std::size_t i = 0; i < places.size(); ++i) result[places[i]] = computed[i];
    return result;
  }
};

}  // namespace

CopiesAndEnergies copies_and_energies(const std::vector<ScaledWeight>& weights,
                                      at::ScalarType dtype, KeptResults* kept) {
  std::vector<at::Tensor> sources;
  CopiesForm form{.factors = {}, .layouts = {}, .dtype = dtype};
  for (const ScaledWeight& in : weights) {
    sources.push_back(in.weight);
    form.factors.push_back(in.factor);
    form.layouts.push_back(static_cast<std::int64_t>(in.layout));
  }
  const bool all_stay =
      std::ranges::all_of(weights, [&](const ScaledWeight& in) { return is_as_wanted(in, dtype); });
  if (all_stay || !takes_kernels(sources.front())) {
    return {scaled_copies(weights, dtype), weight_energies(sources, kept)};
  }
  const auto results = WithEnergies::apply(at::TensorList(sources), form, kept);
  const auto copies_end = results.begin() + static_cast<std::ptrdiff_t>(weights.size());
  return {{results.begin(), copies_end}, {copies_end, results.end()}};
}

}  // namespace ganscale::kernels
