#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ganscale::wire {

/// Where a training is in its life.
enum class JobState {
  kStarting,  ///< before the first step: reads data, loads a checkpoint
  kRunning,
  kPaused,
  kStopping,  ///< writes its last checkpoint
  kDone,
  kFailed,
};

/// Returns the word on the wire: starting, running, paused, stopping, done or failed.
std::string_view name(JobState state);

/// The checkpoint that a restart would begin from.
struct LastCheckpoint {
  std::string name;  ///< folder under checkpoints/: kimg-004200
  std::int64_t written_unix_seconds = 0;
  bool operator==(const LastCheckpoint&) const = default;
};

/// What rank 0 tells of the whole training: the body of GET /status.
struct JobStatus {
  JobState state = JobState::kStarting;
  std::string run;
  std::string model;
  std::string scheme;
  std::int64_t images_seen = 0;            ///< by all ranks, over all restarts
  std::int64_t total_images = 0;           ///< the run is done when images_seen reaches this
  std::optional<double> seconds_per_kimg;  ///< absent until it was measured
  std::optional<double> images_per_second;
  std::optional<double> eta_seconds;
  int world_size = 1;
  int restarts = 0;
  std::map<std::string, double> losses;  ///< by network or phase; NaN where it diverged
  std::optional<double> fid;             ///< the newest evaluation
  std::optional<double> augment_p;
  std::optional<LastCheckpoint> last_checkpoint;
  std::string message;  ///< why it failed, or what it waits for; else empty

  double kimg() const { return static_cast<double>(images_seen) / 1000; }
  double total_kimg() const { return static_cast<double>(total_images) / 1000; }
  bool operator==(const JobStatus&) const = default;
};

/// Writes a status; optional fields that are absent, and an empty message, are left out.
nlohmann::ordered_json to_json(const JobStatus& status);

/// Reads a status. Fields it does not know are ignored and absent ones keep their default, so that
/// an operator and a worker of different versions understand each other.
/// Throws std::invalid_argument naming the field: not an object, wrong type, unknown state.
JobStatus parse_job_status(const nlohmann::ordered_json& json);

}  // namespace ganscale::wire
