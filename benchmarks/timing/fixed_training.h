#pragma once

#include <vector>

#include "comm/group/group.h"
#include "timing/time_steps.h"
#include "training/replica/replica.h"
#include "training/schemes/synchronous/synchronous.h"

namespace ganscale::benchmarks {

/// The same random images, with the labels 0, 1, ..., in every step.
class FixedInputs : public training::StepInputs {
 public:
  FixedInputs(const training::RunConfig& config, at::Device device);
  training::StepInput next(const training::Progress& progress) override;

 private:
  data::Batch real_;
};

/// The steps of `ganscale train` on a single rank that reads no data.
class FixedTraining {
 public:
  FixedTraining(training::RunConfig config, at::Device device);

  void step(int number);
  std::vector<training::Phase>& phases() { return trainer_.phases(); }
  ParameterCounts parameter_counts();

 private:
  training::RunConfig config_;
  std::unique_ptr<comm::Group> group_;
  training::Replica replica_;
  FixedInputs inputs_;
  training::Synchronous trainer_;
  training::Progress progress_;
};

}  // namespace ganscale::benchmarks
