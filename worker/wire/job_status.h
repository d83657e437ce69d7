#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "wire/preflight.h"

namespace ganscale::wire {

/// The state of a training.
enum class JobState {
  kStarting,  ///< before the first step: opens the dataset, loads a checkpoint
  kRunning,
  kPaused,
  kStopping,  ///< writes the last checkpoint
  kDone,
  kFailed,
};

/// Returns the name on the wire: starting, running, paused, stopping, done or failed.
std::string_view name(JobState state);

/// The checkpoint that a restart would resume from.
struct LastCheckpoint {
  std::string name;  ///< its folder in checkpoints/: kimg-004200
  std::int64_t written_unix_seconds = 0;
  bool operator==(const LastCheckpoint&) const = default;
};

/// What a run measured: its window of steps, or all of it if ranks have no steps in common.
struct Measurement {
  std::int64_t steps = 0;          ///< of the window; 0: the whole run was measured
  std::int64_t images = 0;         ///< of all ranks
  double seconds = 0;              ///< of the slowest rank
  double data_wait_seconds = 0;    ///< mean over the ranks
  double all_reduce_seconds = 0;   ///< waited for gradients of other ranks; mean over the ranks
  double role_wait_seconds = 0;    ///< waited for the other role; mean over the ranks
  double straggler_ratio = 1;      ///< work of the slowest rank over the mean
  double step_seconds_median = 0;  ///< of rank 0
  double step_seconds_p99 = 0;
  std::optional<double> memory_share = {};  ///< of a device, the highest of all ranks
  std::optional<double> gpu_use = {};       ///< share of time, mean over the ranks that know it

  double images_per_second() const {
    return seconds > 0 ? static_cast<double>(images) / seconds : 0;
  }
  bool operator==(const Measurement&) const = default;
};

/// The status of a training as rank 0 reports it: the body of GET /status.
struct JobStatus {
  JobState state = JobState::kStarting;
  std::string run;
  std::string model;
  std::string scheme;
  std::int64_t images_seen = 0;            ///< by all ranks, over all restarts
  std::int64_t total_images = 0;           ///< the run is done when images_seen reaches this
  std::optional<double> seconds_per_kimg;  ///< absent until measured
  std::optional<double> images_per_second;
  std::optional<double> eta_seconds;
  int world_size = 1;
  int restarts = 0;
  std::map<std::string, double> losses;  ///< by network or phase; NaN if it diverged
  std::optional<double> fid;             ///< of the latest evaluation
  std::optional<double> augment_p;
  std::optional<LastCheckpoint> last_checkpoint;
  std::optional<Measurement> measured;  ///< once the window, or the run, is over
  std::optional<Preflight> preflight;   ///< if there was one
  std::string message;                  ///< why it failed or what it waits for; otherwise empty

  double kimg() const { return static_cast<double>(images_seen) / 1000; }
  double total_kimg() const { return static_cast<double>(total_images) / 1000; }
  bool operator==(const JobStatus&) const = default;
};

/// Serializes a status. Leaves out absent optional fields and an empty message.
nlohmann::ordered_json to_json(const JobStatus& status);

/// Parses a status. Ignores unknown fields and keeps the defaults of absent ones, so that operator
/// and worker may be of different versions.
/// Throws std::invalid_argument that names the field: not an object, wrong type, unknown state.
JobStatus parse_job_status(const nlohmann::ordered_json& json);

}  // namespace ganscale::wire
