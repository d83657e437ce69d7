#pragma once

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include <filesystem>

#include "checkpoint/reader.h"
#include "checkpoint/write_checkpoint.h"
#include "support/temporary_folder.h"
#include "training/replica/run_snapshot.h"
#include "training/run/run_folder.h"
#include "unit/training/parse_text.h"

namespace ganscale::cli {

/// A run of a model with two labels, "cat" and "dog".
class RunWithCheckpoints {
 public:
  RunWithCheckpoints() {
    config_.model.channels = 1;
    config_.model.label_count = 2;
    folder_.create();
    folder_.write_config(config_.resolved, checkpoint::OnError::kStop);
  }

  /// Writes a checkpoint, each with other images; returns its folder.
  std::filesystem::path write_checkpoint(std::int64_t images_seen) const {
    training::Replica replica(config_, at::kCPU, {});
    const at::NoGradGuard no_grad;
    // Initial weights are so small that images hardly differ.
    at::manual_seed(static_cast<std::uint64_t>(images_seen));
    for (auto& parameter : replica.generator_ema().parameters()) parameter.normal_(0, 0.2);
    checkpoint::write_checkpoint(folder_.root(),
                                 training::make_snapshot(replica.state(),
                                                         {.model = "conditional_dcgan",
                                                          .record_count = 9,
                                                          .label_count = 2,
                                                          .channels = 1,
                                                          .label_names = {"cat", "dog"}},
                                                         {.images_seen = images_seen}));
    return checkpoint::list_checkpoints(folder_.root()).back().folder;
  }

  const std::filesystem::path& path() const { return folder_.root(); }

 private:
  training::RunConfig config_ =
      training::parse("model: {name: conditional_dcgan, channels: 0.125, z_dim: 4}\n");
  TemporaryFolder temporary_;
  training::RunFolder folder_{temporary_ / "r1"};
};

}  // namespace ganscale::cli
