#pragma once

#include <ATen/Functions.h>

#include <filesystem>
#include <string>

#include "checkpoint/run_files.h"
#include "files/atomic_file.h"
#include "report/log/stats_log.h"
#include "report/log/tick.h"
#include "report/media/image_grid.h"

namespace ganscale {

/// Writes a run folder with this many ticks of 1000 images and a grid of samples after each.
inline void make_run(const std::filesystem::path& folder, int tick_count) {
  files::write_file_atomically(folder / "config.yaml",
                               "model: {name: dcgan, resolution: 32}\n"
                               "data: {path: /data/digits}\n"
                               "training: {total_kimg: 10, batch: 64}\n"
                               "generator: {optimizer: {name: adam, betas: [0.5, 0.999]}}\n"
                               "note: '<i>& more</i>'\n");
  report::StatsLog stats(folder / "stats.jsonl", 0);
  for (int i = 1; i <= tick_count; ++i) {
    report::Tick tick;
    tick.number = i;
    tick.images_seen = 1000 * i;
    tick.world_size = 2;
    tick.seconds = 60.0 * i;
    tick.seconds_per_kimg = 8;
    tick.losses = {{"discriminator", 1.25}, {"generator", 0.5 + 0.1 * i}};
    tick.learning_rates = {{"discriminator", 2e-4}, {"generator", 2e-4}};
    stats.append(report::to_json(tick));
    const auto grid = at::full({4, 1, 8, 8}, 5 * i, at::kByte);
    report::write_image_grid(
        grid, {.columns = 2},
        folder / "samples" / checkpoint::run_files::sample_name(tick.images_seen));
  }
  report::write_image_grid(at::zeros({4, 1, 8, 8}, at::kByte), {.columns = 2},
                           folder / "samples" / "reals.png");
}

}  // namespace ganscale
