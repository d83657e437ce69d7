#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/role_plan.h"

namespace ganscale::planning {

/// The time that a device computes on a number of images.
struct DevicePoint {
  double images = 0;
  double seconds = 0;
};

/// What one rank does in a phase of a step.
struct Phase {
  std::string name = {};
  wire::Role network = wire::Role::kGenerator;  ///< that it trains or works for
  double interval = 1;                          ///< whole steps from one time it is due to the next
  std::int64_t offset = 0;                      ///< of the first step in which it is due
  /// At one or more numbers of images, ascending; straight lines lie between and beyond them. One
  /// point stands for a time that is proportional to the images.
  std::vector<DevicePoint> device = {};
  double launches = 0;        ///< that the host makes one by one
  double graph_launches = 0;  ///< that a CUDA graph makes, which scheme asynchronous can't use
  double reduced_bytes = 0;   ///< by all-reduces, on several ranks
  double reductions = 0;      ///< all-reduces that carry them; all but the last overlap the phase
  /// Of a phase of the discriminator: the part of `device` in which the generator makes its fakes,
  /// at the same numbers of images; empty: it makes none.
  std::vector<DevicePoint> fakes = {};
  double fakes_launches = 0;       ///< of launches and graph_launches
  double fakes_reduced_bytes = 0;  ///< of reduced_bytes: statistics of the generator
  double fakes_reductions = 0;     ///< of reductions

  bool is_due(std::int64_t step) const {
    return step % static_cast<std::int64_t>(interval) == offset;
  }
};

/// A training as the model sees it.
struct Workload {
  std::vector<Phase> phases = {};
  double image_bytes = 0;            ///< of a record of the dataset
  std::int64_t passes = 1;           ///< training.accumulate: a rank divides its images by it
  bool discriminator_first = false;  ///< loss.first: a step trains it, then the generator
};

/// How much of a machine trains, and on how many images a step.
struct Scale {
  int gpus = 1;
  std::int64_t batch = 1;  ///< of all GPUs
  /// Images of a rank's pass, of a measured training; 0: the workload's passes divide its images.
  std::int64_t at_once = 0;
  int gpus_of_rank = 1;  ///< 2: one for the generator, one for the discriminator; divides gpus

  int ranks() const { return gpus / gpus_of_rank; }
  double images_per_rank() const { return static_cast<double>(batch) / ranks(); }
};

}  // namespace ganscale::planning
