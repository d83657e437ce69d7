#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/contract/networks.h"
#include "optim/ema.h"
#include "optim/optimizer/optimizer.h"

namespace ganscale::training {

/// An average with another half-life than the samples'.
struct OtherAverage {
  double kimg = 0;  ///< its half-life
  std::shared_ptr<models::Generator> generator;
};

/// Returns the name of its checkpoint file, "generator_ema_0.5".
std::string file_of_average(double kimg);

/// The average of a generator over its training: what samples, metrics and exports show; and further
/// averages with other half-lives.
///
/// In each step it moves once, after the last update of the generator:
///
///   const optim::Averages averages = average.averages(images_seen);
///   generator_optimizer.step(rate, &averages);  // moves the parameters in its own pass over memory
///   average.end_step(images_seen, /*is_moved=*/true);
class GeneratorAverage {
 public:
  /// Begins as the source is. Both are of one architecture, and on one device.
  /// batch: images of a step, of all ranks together.
  GeneratorAverage(std::shared_ptr<models::Generator> average,
                   std::shared_ptr<const models::Generator> source, const optim::EmaConfig& config,
                   std::int64_t batch);

  /// Adds one of the configured other averages, which begins as the source is.
  void add_other(double kimg, std::shared_ptr<models::Generator> average);

  const std::vector<OtherAverage>& others() const { return others_; }
  models::Generator& generator() { return *average_; }
  const models::Generator& generator() const { return *average_; }

  /// Returns the averages of the parameters, for the last update of a step to move.
  optim::Averages averages(std::int64_t images_seen) const {
    return {&parameters_, optim::ema_beta(config_, batch_, images_seen)};
  }
  /// Ends a step: moves the parameters if no update has, and other averages, and copies
  /// the buffers, which are averages already.
  void end_step(std::int64_t images_seen, bool is_moved);

 private:
  void begin(models::Generator& average) const;

  std::shared_ptr<models::Generator> average_;
  std::shared_ptr<const models::Generator> source_;
  optim::EmaConfig config_;
  std::int64_t batch_;
  NamedTensors parameters_;  ///< of the average
  std::vector<OtherAverage> others_;
};

}  // namespace ganscale::training
