#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "optim/optimizer/optimizer.h"
#include "parity/arithmetic.h"
#include "parity/report.h"
#include "parity/settings.h"
#include "training/phases/phase.h"
#include "training/phases/step_inputs.h"
#include "training/replica/replica.h"

namespace ganscale::parity {

/// What a fixture holds for the steps of a training.
class StoredInputs : public training::StepInputs {
 public:
  StoredInputs(const NamedTensors& tensors, const Arithmetic& arithmetic, int label_count)
      : tensors_(tensors), arithmetic_(arithmetic), label_count_(label_count) {}

  at::Tensor input(const std::string& name) const;
  /// Returns the classes of one-hot vectors; undefined without classes.
  at::Tensor labels(const std::string& name) const;

 protected:
  bool has(const std::string& name) const { return tensors_.contains(name); }

 private:
  const NamedTensors& tensors_;
  const Arithmetic& arithmetic_;
  int label_count_;
};

/// A training of a fixture, and what the comparisons of all families have in common. The steps are
/// the steps of scheme synchronous on one rank.
class TrainingTrace {
 protected:
  using CheckUpdate = std::function<void(const training::Phase&, const optim::Optimizer&)>;

  TrainingTrace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                Report& report)
      : tensors_(fixture.tensors),
        settings_(fixture.metadata),
        arithmetic_(arithmetic),
        report_(report) {}

  /// Gives networks and average the first weights of the fixture.
  void start(training::Replica& replica) const;
  /// In float32, what the steps before have changed is compared no more: errors grow.
  bool compares(std::int64_t step) const { return step == 0 || arithmetic_.is_float64(); }
  /// Has the gradients of each phase checked as they are when it updates its network, in the steps
  /// that are compared.
  void witness(std::vector<training::Phase>& phases, const CheckUpdate& check);
  /// Compares the gradients of a phase, or network, of this name in the current step. Those that
  /// are zero but for rounding are compared with `scale`, if given (Report::compare()).
  void check_gradients(const std::string& name, const optim::Optimizer& optimizer,
                       double scale = 0) const;
  void check_final(const std::string& network, const torch::nn::Module& ours) const;
  /// Compares a mean of scores or of their signs absolutely, since it may be near zero.
  void compare_scores(const at::Tensor& ours, const at::Tensor& expected) const;
  /// Compares what D scores in Gmain and Dreg of a StyleGAN, which don't report it. The networks
  /// are as they are when the phase updates one of them.
  void check_unreported_scores(const training::Phase& phase, training::Replica& replica,
                               const StoredInputs& inputs) const;
  /// Returns the fixture's gradients of a phase, or network, of this name in the current step.
  NamedTensors stored_gradients(const std::string& name) const;

  const NamedTensors& tensors_;
  const Settings settings_;
  const Arithmetic& arithmetic_;
  Report& report_;
  training::Progress progress_;

 private:
  std::vector<std::unique_ptr<optim::Optimizer>> witnesses_;
};

}  // namespace ganscale::parity
