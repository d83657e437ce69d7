#pragma once

#include <memory>

#include "models/contract/networks.h"
#include "optim/ema.h"
#include "optim/optimizer/optimizer.h"

namespace ganscale::training {

/// The average of a generator over its training: what samples, metrics and exports show.
///
/// In each step it moves once, after the last update of the generator:
///
///   const optim::Averages averages = average.averages(images_seen);
///   generator_optimizer.step(rate, &averages);  // moves the parameters in its own pass over memory
///   average.end_step(averages, /*is_moved=*/true);
class GeneratorAverage {
 public:
  /// Begins as the source is. Both are of one architecture, and on one device.
  /// batch: images of a step, of all ranks together.
  GeneratorAverage(std::shared_ptr<models::Generator> average,
                   std::shared_ptr<const models::Generator> source, const optim::EmaConfig& config,
                   std::int64_t batch);

  models::Generator& generator() { return *average_; }
  const models::Generator& generator() const { return *average_; }

  /// Returns the averages of the parameters, for the last update of a step to move.
  optim::Averages averages(std::int64_t images_seen) const {
    return {&parameters_, optim::ema_beta(config_, batch_, images_seen)};
  }
  /// Ends a step: moves the parameters where no update has, and copies the buffers, which are
  /// averages already.
  void end_step(const optim::Averages& averages, bool is_moved);

 private:
  std::shared_ptr<models::Generator> average_;
  std::shared_ptr<const models::Generator> source_;
  optim::EmaConfig config_;
  std::int64_t batch_;
  NamedTensors parameters_;  ///< of the average
};

}  // namespace ganscale::training
