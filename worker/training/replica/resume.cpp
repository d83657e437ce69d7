#include "training/replica/resume.h"

#include <ATen/ops/tensor.h>

#include "base/log.h"
#include "checkpoint/reader.h"
#include "training/replica/run_snapshot.h"
#include "training/replica/transfer.h"

namespace ganscale::training {
namespace {

/// Takes rank 0's progress.
void broadcast_progress(comm::Group& group, Progress& progress) {
  const at::Tensor counts =
      at::tensor({progress.images_seen, progress.step, progress.stream_position, progress.tick,
                  progress.nonfinite_steps});
  const at::Tensor seconds = at::tensor(progress.trained_seconds, at::kDouble);
  group.broadcast(counts, 0);
  group.broadcast(seconds, 0);
  const auto* count = counts.const_data_ptr<std::int64_t>();
  progress = {.images_seen = count[0],
              .step = count[1],
              .stream_position = count[2],
              .tick = count[3],
              .trained_seconds = seconds.item<double>(),
              .nonfinite_steps = count[4]};
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
