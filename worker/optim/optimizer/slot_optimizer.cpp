#include "optim/optimizer/slot_optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/rsub.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace ganscale::optim {
namespace {

// Fused kernels process parameters and gradients in memory order.
at::Tensor in_layout_of(const at::Tensor& gradient, const at::Tensor& parameter) {
  if (gradient.strides() == parameter.strides()) return gradient;
  return at::empty_like(parameter).copy_(gradient);
}

}  // namespace

SlotOptimizer::SlotOptimizer(NamedTensors parameters, std::vector<std::string> slot_names,
                             StepLocation location)
    : Optimizer(std::move(parameters)), slot_names_(std::move(slot_names)) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, parameter] : this->parameters()) {
    const auto device = location == StepLocation::kHost ? at::Device(at::kCPU) : parameter.device();
    State state{at::zeros({}, at::TensorOptions(at::kFloat).device(device)), {}};
    for (std::size_t i = 0; i < slot_names_.size(); ++i) {
      state.slots.push_back(at::zeros_like(parameter));
    }
    states_.push_back(std::move(state));
  }
}

void SlotOptimizer::update(double learning_rate, const Averages* averages, const at::Tensor& skip) {
  SlotUpdate work = collect(learning_rate);
  work.skip = skip;
  if (!work.parameters.empty()) count_update(work);
  if (averages != nullptr) return update_and_follow(work, *averages);
  if (!work.parameters.empty()) update_parameters(work);
}

void SlotOptimizer::count_update(const SlotUpdate& work) {
  if (work.skip.defined()) {
    at::_foreach_add_(work.steps, at::rsub(work.skip, 1));
  } else {
    at::_foreach_add_(work.steps, 1);
  }
}

void SlotOptimizer::update_and_follow(SlotUpdate& work, const Averages& averages) {
  Tensors of_updated;
  for (const auto& [name, parameter] : parameters()) {
    const at::Tensor& average = averages.tensors->at(name);
    if (parameter.grad().defined()) {
      of_updated.push_back(average);
    } else {
      average.lerp_(parameter, 1 - averages.beta);
    }
  }
  if (!of_updated.empty()) update_with_averages(work, of_updated, averages.beta);
}

void SlotOptimizer::update_with_averages(SlotUpdate& work, const Tensors& averages, double beta) {
  update_parameters(work);
  at::_foreach_lerp_(averages, work.parameters, 1 - beta);
}

NamedTensors SlotOptimizer::state() {
  NamedTensors result;
  auto state = states_.begin();
  for (const auto& [name, parameter] : parameters()) {
    result.emplace(name + ".step", state->step);
    for (std::size_t i = 0; i < slot_names_.size(); ++i) {
      result.emplace(name + "." + slot_names_[i], state->slots[i]);
    }
    ++state;
  }
  return result;
}

SlotUpdate SlotOptimizer::collect(double learning_rate) const {
  SlotUpdate work;
  work.slots.resize(slot_names_.size());
  work.learning_rate = learning_rate;
  auto state = states_.begin();
  for (const auto& [name, parameter] : parameters()) {
    if (parameter.grad().defined()) {
      work.parameters.push_back(parameter);
      work.gradients.push_back(in_layout_of(parameter.grad(), parameter));
      work.steps.push_back(state->step);
      for (std::size_t i = 0; i < slot_names_.size(); ++i) {
        work.slots[i].push_back(state->slots[i]);
      }
    }
    ++state;
  }
  return work;
}

}  // namespace ganscale::optim
