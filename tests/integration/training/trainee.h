#pragma once

#include <string>

#include "training/run/precision.h"
#include "training/schemes/synchronous/synchronous.h"

/// Small trainings whose images depend on nothing but their numbers.
namespace ganscale::training {

/// Of four images a step, where the data have labels if the model takes them.
RunConfig make_config(const std::string& model, const std::string& batch_norm, Precision precision);

/// Of the model that tests/unit/models/tiny_model.h adds to the table.
RunConfig make_tiny_config(Precision precision);

/// Every phase, styles mixed, noise drawn; four ranks have two images each, groups of four.
RunConfig make_stylegan2_config(const std::string& more_of_model, Precision precision);

/// Every phase, a blur that fades, magnitudes that all ranks share.
RunConfig make_stylegan3_config(Precision precision);

/// Two discriminator steps a generator step, synchronized batch norm, orthogonal regularization.
RunConfig make_biggan_config(const std::string& more_of_training, Precision precision);

/// Pairs, both penalties in each step, and everything that may follow a schedule.
RunConfig make_r3gan_config(const std::string& more_of_training, Precision precision);

/// Images and labels that belong to the image numbers, as a data plan deals them.
class NumberedInputs : public StepInputs {
 public:
  /// config, world: outlive it.
  NumberedInputs(const RunConfig& config, const comm::Group& world, at::Device device)
      : config_(config), world_(world), device_(device) {}

  StepInput next(const Progress& progress) override;

 private:
  const RunConfig& config_;
  const comm::Group& world_;
  at::Device device_;
};

/// A rank's replica and what moves it.
class Trainee {
 public:
  /// config, world: outlive it.
  Trainee(const RunConfig& config, comm::Group& world,
          const device::NetworkDevices& devices = at::kCPU);

  /// Trains for this many steps; fails the test if a phase is skipped.
  void train(int steps);

  /// Continues where another one has stopped, from what a checkpoint has of it.
  void resume_from(Trainee& other);

  Replica& replica() { return replica_; }

 private:
  std::unique_ptr<comm::Group> statistics_group_;
  std::unique_ptr<comm::Group> path_length_group_;
  Replica replica_;
  NumberedInputs inputs_;
  Synchronous trainer_;
  Progress progress_;
};

/// Returns all gradients as one vector on the CPU. One part may be a small difference of large
/// numbers: at first D gives reals and fakes the same score, and the gradients of its biases all
/// but cancel.
at::Tensor all_gradients(const torch::nn::Module& network);

/// Expects the norm of the difference within `tolerance` of the norm of `expected`.
void expect_close(const at::Tensor& actual, const at::Tensor& expected, double tolerance);

}  // namespace ganscale::training
