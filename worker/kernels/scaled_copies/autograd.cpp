#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/launch/kernel_path.h"
#include "kernels/scaled_copies/compute.h"

namespace ganscale::kernels {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct ScaledCopies : torch::autograd::Function<ScaledCopies> {
  static variable_list forward(AutogradContext* context, at::TensorList weights,
                               const CopiesForm& form, KeptResults* kept) {
    context->set_materialize_grads(false);
    context->saved_data["factors"] = form.factors;
    context->saved_data["dtype"] = static_cast<std::int64_t>(weights.front().scalar_type());
    const auto allocate = [&] { return empty_copies(weights, form); };
    const auto fill = [&](const variable_list& out) { copy_scaled(weights, form, out); };
    return results_of(
        {.sources = weights, .form = form.numbers(), .allocate = allocate, .fill = fill}, kept);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto factors = context->saved_data["factors"].toDoubleVector();
    std::vector<ScaledWeight> known;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) known.push_back({gradients[i], factors[i]});
    }
    const auto dtype = static_cast<at::ScalarType>(context->saved_data["dtype"].toInt());
    const auto copies = scaled_copies(known, dtype);
    variable_list result(gradients.size() + 2);  // none of form and kept
    auto copy = copies.begin();
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) result[i] = *copy++;
    }
    return result;
  }
};

at::Tensor copy_on_cpu(const ScaledWeight& in, at::ScalarType dtype) {
  const at::Tensor scaled = in.factor == 1 ? in.weight : in.weight * in.factor;
  const at::Tensor converted = scaled.to(dtype);
  if (has_layout(converted, in.layout)) return converted;
  const at::Tensor copy = empty_copy(converted, dtype, in.layout);
  return copy.copy_(converted);
}

}  // namespace

std::vector<at::Tensor> scaled_copies(const std::vector<ScaledWeight>& weights,
                                      at::ScalarType dtype, KeptResults* kept) {
  std::vector<at::Tensor> result;
  std::vector<at::Tensor> copied;
  CopiesForm form{.factors = {}, .layouts = {}, .dtype = dtype};
  for (const ScaledWeight& in : weights) {
    const bool stays = is_as_wanted(in, dtype);
    result.push_back(stays ? in.weight : at::Tensor());
    if (stays) continue;
    if (!takes_kernels(in.weight)) {
      result.back() = copy_on_cpu(in, dtype);
      continue;
    }
    copied.push_back(in.weight);
    form.factors.push_back(in.factor);
    form.layouts.push_back(static_cast<std::int64_t>(in.layout));
  }
  if (copied.empty()) return result;
  const auto copies = ScaledCopies::apply(at::TensorList(copied), form, kept);
  auto copy = copies.begin();
  for (at::Tensor& place : result) {
    if (!place.defined()) place = *copy++;
  }
  return result;
}

}  // namespace ganscale::kernels
