#pragma once

#include <ATen/ops/full.h>

#include <functional>

#include "training/loop/trainer.h"
#include "unit/training/tiny_generator.h"

namespace ganscale::training {

/// Trains nothing: counts its steps, each of a batch of four images of all ranks.
class FakeTrainer : public Trainer {
 public:
  static constexpr std::int64_t kBatch = 4;

  /// May change what a step reports.
  std::function<void(StepResult&)> on_step = [](StepResult&) {};
  /// May fail instead of giving the average.
  std::function<void()> on_average = [] {};
  std::vector<std::string> statistics = {"loss/generator"};
  std::int64_t interval = 1;
  Readings now = {};
  double state = 1;
  std::int64_t state_size = 1;  ///< elements
  int agreements = 0;

  std::vector<std::string> phase_names() const override { return {"Gmain"}; }
  std::vector<std::string> statistic_names() const override { return statistics; }
  StepResult step(Progress& progress) override {
    StepResult result{.images = kBatch, .generator_steps = 1};
    on_step(result);
    progress.add_step(kBatch);
    return result;
  }
  Readings readings() const override { return now; }
  std::int64_t steps_between_agreements() const override { return interval; }
  void reconcile(Progress& /*progress*/) override { ++agreements; }
  std::map<std::string, NamedTensors> gather_state() override {
    return {{"generator", {{"weight", at::full({state_size}, state)}}}};
  }
  models::Generator& averaged_generator() override {
    on_average();
    return generator_;
  }

 private:
  TinyGenerator generator_;
};

}  // namespace ganscale::training
