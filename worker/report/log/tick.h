#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ganscale::report {

/// What the ranks that train one network did in a tick, if others train the other one.
struct RoleTick {
  int ranks = 0;
  std::int64_t steps = 0;
  /// Real images that a discriminator was shown, or images that a generator made for it; of all its
  /// ranks.
  std::int64_t images = 0;
  double seconds_per_step = 0;  ///< of training, 0 without a step
  double wait_share = 0;        ///< part of its ranks' time in [0, 1] spent waiting for the others
  /// By age of the weights or images used from the others, in steps; of all its ranks.
  std::map<std::int64_t, std::int64_t> steps_of_age;

  double mean_age() const;
};

/// The statistics of one tick. Rates and shares are of this tick only.
struct Tick {
  std::int64_t number = 0;
  std::int64_t images_seen = 0;
  std::int64_t step = 0;
  std::map<std::string, std::int64_t> network_steps;  ///< of this tick, by network
  int world_size = 1;
  double seconds = 0;  ///< since image 0, with evaluations and pauses, over all restarts
  double seconds_per_kimg = 0;
  double maintenance_seconds = 0;  ///< between the last tick and this one: grids, checkpoints, ...
  /// Part of the tick's time in [0, 1] that ranks with a loader waited for images, in the mean.
  double data_wait_share = 0;
  int reader_threads = 0;        ///< of the loader with the most, now
  double read_tail_seconds = 0;  ///< 95 of 100 of the latest reads of any loader took no longer
  double all_reduce_share = 0;   ///< that ranks waited for other ranks' gradients, in the mean
  std::int64_t host_memory_bytes = 0;               ///< resident, of this process
  std::optional<std::int64_t> device_memory_bytes;  ///< if there is a device
  std::map<std::string, double> losses;             ///< mean over the tick, by network or phase
  std::map<std::string, double> scores;          ///< mean of sigmoid(D(x)), of "real" and of "fake"
  std::map<std::string, double> learning_rates;  ///< by network
  std::map<std::string, double> scheduled;       ///< other numbers that follow a schedule
  std::optional<double> augment_p;
  std::map<std::string, RoleTick> roles;  ///< by network, if ranks train one each
};

/// Returns a tick as the object on a line of stats.jsonl. Numbers that are not finite become null.
nlohmann::ordered_json to_json(const Tick& tick);

}  // namespace ganscale::report
