#include "training/replica/resume.h"

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/reader.h"
#include "comm/collectives/gather_text.h"
#include "comm/collectives/numbers.h"
#include "training/replica/run_snapshot.h"
#include "training/replica/transfer.h"

namespace ganscale::training {
namespace {

/// Returns how the configuration differs from the checkpoint's, in words that end an error about
/// that checkpoint: empty if nothing differs or config.yaml can't be read, which is another error.
std::string changes_since(const ResumeFrom& from) {
  if (from.resolved.empty()) return "";
  try {
    const std::string changes = from.folder.config_changes(from.resolved);
    return changes.empty() ? ""
                           : "; since that checkpoint, the configuration has changed: " + changes;
  } catch (const Error&) {
    return "";
  }
}

/// Restores the state of a checkpoint. Throws as restore(), but ConfigError if the state does not
/// fit and the configuration has changed since.
Progress restore_from(const ResumeFrom& from, Replica& replica, const std::filesystem::path& path) {
  const auto checkpoint = checkpoint::load_checkpoint(path);
  try {
    return restore(replica, from.facts, checkpoint);
  } catch (const DataError& error) {
    const std::string changes = changes_since(from);
    if (changes.empty()) throw;
    throw ConfigError(error.what() + changes +
                      "; change it back, or choose a new folder with --run");
  }
}

/// Takes rank 0's progress.
void broadcast_progress(comm::Group& group, Progress& progress) {
  comm::broadcast_from_rank_0(
      group, {&progress.images_seen, &progress.step, &progress.stream_position, &progress.tick,
              &progress.nonfinite_steps});
  constexpr double kUnknown = -1;
  double device_seconds = progress.device_seconds.value_or(kUnknown);
  comm::broadcast_from_rank_0(group, {&progress.trained_seconds, &device_seconds});
  progress.device_seconds.reset();
  if (device_seconds != kUnknown) progress.device_seconds = device_seconds;
  const std::string steps =
      comm::text_of_rank_0(group, nlohmann::json(progress.recent_nonfinite_steps).dump());
  progress.recent_nonfinite_steps = nlohmann::json::parse(steps).get<std::vector<std::int64_t>>();
}

}  // namespace

Progress resume(Replica& replica, const ResumeFrom& from, comm::Group& group) {
  Progress progress;
  if (group.rank() == 0) {
    if (const auto checkpoint = checkpoint::newest_valid_checkpoint(from.folder.root())) {
      progress = restore_from(from, replica, *checkpoint);
      log::info("Resuming",
                {{"checkpoint", *checkpoint}, {"kimg", progress.kimg()}, {"step", progress.step}});
    } else if (!from.weights.empty()) {
      transfer_weights(replica, from.weights);
    }
  }
  // Without a timeout: reading a large checkpoint from slow storage may take longer.
  group.barrier();
  broadcast_progress(group, progress);
  return progress;
}

}  // namespace ganscale::training
