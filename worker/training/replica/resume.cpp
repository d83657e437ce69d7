#include "training/replica/resume.h"

#include "base/log.h"
#include "checkpoint/reader.h"
#include "comm/collectives/numbers.h"
#include "training/replica/run_snapshot.h"
#include "training/replica/transfer.h"

namespace ganscale::training {
namespace {

/// Takes rank 0's progress.
void broadcast_progress(comm::Group& group, Progress& progress) {
  comm::broadcast_from_rank_0(
      group, {&progress.images_seen, &progress.step, &progress.stream_position, &progress.tick,
              &progress.nonfinite_steps});
  comm::broadcast_from_rank_0(group, {&progress.trained_seconds});
}

}  // namespace

Progress resume(Replica& replica, const ResumeFrom& from, comm::Group& group) {
  Progress progress;
  if (group.rank() == 0) {
    if (const auto checkpoint = checkpoint::newest_valid_checkpoint(from.folder.root())) {
      progress = restore(replica, from.facts, checkpoint::load_checkpoint(*checkpoint));
      log::info("Resuming",
                {{"checkpoint", *checkpoint}, {"kimg", progress.kimg()}, {"step", progress.step}});
    } else if (!from.weights.empty()) {
      transfer_weights(replica, from.weights);
    }
  }
  broadcast_progress(group, progress);
  return progress;
}

}  // namespace ganscale::training
