#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace ganscale::training {

/// The progress of a run. Its only clock is the number of images seen, since the batch size, and
/// with it the number of steps, may change.
struct Progress {
  std::int64_t images_seen = 0;      ///< real images shown, by all ranks together
  std::int64_t step = 0;             ///< of the networks together
  std::int64_t stream_position = 0;  ///< the data plan's cursor: global images drawn
  std::int64_t tick = 0;
  double trained_seconds = 0;  ///< over all attempts
  std::int64_t nonfinite_steps = 0;
  std::vector<std::int64_t> recent_nonfinite_steps = {};  ///< those that may end the run
  std::optional<double> device_seconds = {};  ///< over all attempts and devices; none: unknown

  /// Counts a step of all ranks on a batch of this many images.
  void add_step(std::int64_t batch) {
    step += 1;
    images_seen += batch;
    stream_position += batch;
  }
  double kimg() const { return static_cast<double>(images_seen) / 1000; }

  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Progress, images_seen, step, stream_position, tick,
                                 trained_seconds, nonfinite_steps)
};

}  // namespace ganscale::training
