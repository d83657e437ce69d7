#include "training/phases/phase.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <torch/nn/module.h>

#include <utility>

#include "base/non_copyable.h"
#include "comm/collectives/bucketed_gradients.h"
#include "kernels/nonfinite/nonfinite.h"
#include "optim/clip_gradients.h"

namespace ganscale::training {
namespace {

/// Returns nonfinite_flags() of the gradients, in the order of the optimizer's parameters.
at::Tensor flags_of(const optim::Optimizer& optimizer) {
  std::vector<at::Tensor> gradients;
  for (const auto& [name, parameter] : optimizer.parameters()) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return kernels::nonfinite_flags(gradients);
}

void add_statistics(const NamedTensors& part, std::int64_t passes, NamedTensors& sum) {
  for (const auto& [name, value] : part) {
    const at::Tensor share = passes == 1 ? value : value.div(passes);
    const auto [place, is_new] = sum.try_emplace(name, share);
    if (!is_new) place->second = place->second.add(share);
  }
}

/// Returns the part of an input that a pass takes.
StepInput input_of(const Phase& phase, std::int64_t pass, const StepInput& input) {
  if (phase.passes == 1) return input;
  return part_of(input, pass * phase.images_per_pass, phase.images_per_pass);
}

void clamp_parameters(const optim::Optimizer& optimizer, double limit) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, parameter] : optimizer.parameters()) parameter.clamp_(-limit, limit);
}

/// Takes the gradients of parameters away for a scope: an optimizer then skips them.
class WithoutGradients : NonCopyable {
 public:
  explicit WithoutGradients(const std::vector<at::Tensor>& parameters) : parameters_(parameters) {
    for (const at::Tensor& parameter : parameters_) {
      gradients_.push_back(std::exchange(parameter.mutable_grad(), at::Tensor()));
    }
  }
  // Backward, as a parameter may be there twice.
  ~WithoutGradients() {
    for (std::size_t i = parameters_.size(); i-- > 0;) {
      parameters_[i].mutable_grad() = gradients_[i];
    }
  }

 private:
  const std::vector<at::Tensor>& parameters_;
  std::vector<at::Tensor> gradients_;
};

/// Lets only the parameters that a phase trains take gradients, so that no others are computed.
class OnlyGradientsOf : NonCopyable {
 public:
  explicit OnlyGradientsOf(const NamedTensors& parameters) : parameters_(parameters) { set(true); }
  ~OnlyGradientsOf() { set(false); }

 private:
  void set(bool requires_grad) {
    for (const auto& [name, parameter] : parameters_) parameter.set_requires_grad(requires_grad);
  }
  const NamedTensors& parameters_;
};

}  // namespace

StepInput part_of(const StepInput& input, std::int64_t first, std::int64_t count) {
  const auto rows = [&](const at::Tensor& all) {
    return all.defined() ? all.narrow(0, first, count) : all;
  };
  StepInput part{.real = {rows(input.real.images), rows(input.real.labels)},
                 .images = input.images};
  part.images.first_image += first * input.images.image_stride;
  for (const auto& [stream, latents] : input.given) {
    part.given[stream] = {rows(latents.z), rows(latents.labels), rows(latents.noise),
                          rows(latents.reals)};
  }
  if (input.fakes) {
    part.fakes = Fakes{.images = rows(input.fakes->images),
                       .labels = rows(input.fakes->labels),
                       .next_site = input.fakes->next_site};
  }
  if (input.scored_reals) {
    part.scored_reals = ScoredReals{.logits = rows(input.scored_reals->logits),
                                    .labels = rows(input.scored_reals->labels)};
  }
  return part;
}

Fakes joined(const std::vector<Fakes>& passes) {
  if (passes.size() == 1) return passes.front();
  std::vector<at::Tensor> images;
  std::vector<at::Tensor> labels;
  for (const Fakes& pass : passes) {
    images.push_back(pass.images);
    if (pass.labels.defined()) labels.push_back(pass.labels);
  }
  return {.images = at::cat(images),
          .labels = labels.empty() ? at::Tensor() : at::cat(labels),
          .next_site = passes.back().next_site};
}

std::vector<std::string> names_of(const std::vector<Phase>& phases) {
  std::vector<std::string> names;
  for (const Phase& phase : phases) names.push_back(phase.name);
  return names;
}

std::vector<std::string> statistics_of(const std::vector<Phase>& phases) {
  std::vector<std::string> names;
  for (const Phase& phase : phases) {
    names.insert(names.end(), phase.statistics.begin(), phase.statistics.end());
  }
  return names;
}

PhaseOutput compute_gradients(Phase& phase, const StepInput& input) {
  const OnlyGradientsOf only(phase.optimizer->parameters());
  phase.gradients->clear();
  NamedTensors statistics;
  std::vector<Fakes> fakes;
  if (phase.weight_loss) {
    const PhaseLoss loss = phase.weight_loss();
    phase.gradients->backward(loss.total);
    add_statistics(loss.statistics, /*passes=*/1, statistics);
  }
  for (std::int64_t pass = 0; pass < phase.passes; ++pass) {
    const StepInput images = input_of(phase, pass, input);
    for (const auto& part : phase.losses) {
      const PhaseLoss loss = part(images);
      const bool is_last = pass + 1 == phase.passes && &part == &phase.losses.back();
      if (is_last) phase.gradients->begin();
      phase.gradients->backward(phase.passes == 1 ? loss.total : loss.total.div(phase.passes));
      add_statistics(loss.statistics, phase.passes, statistics);
      if (loss.fakes) fakes.push_back(*loss.fakes);
    }
  }
  phase.gradients->finish();
  PhaseOutput output{.statistics = std::move(statistics)};
  if (!fakes.empty()) output.fakes = joined(fakes);
  return output;
}

at::Tensor update_network(Phase& phase, std::int64_t images_seen, const optim::Averages* averages) {
  const at::Tensor flags = flags_of(*phase.optimizer);
  if (phase.max_gradient_norm > 0) {
    optim::clip_gradients(phase.gradients->buckets(), phase.max_gradient_norm);
  }
  {
    const WithoutGradients left(phase.left_alone);
    phase.optimizer->step(phase.learning_rate(images_seen), averages, flags[0]);
  }
  if (phase.weight_limit > 0) clamp_parameters(*phase.optimizer, phase.weight_limit);
  return flags;
}

}  // namespace ganscale::training
