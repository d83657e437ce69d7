// Claim: writing a checkpoint of 1 GB blocks the training for less than 5% of the write's time.
//
// checkpoint_pause [FOLDER]: writes five checkpoints into FOLDER (the current one by default),
// waits for each, removes them, and prints for each how long the caller waited (the copy into
// host memory) and how long the write took (SHA-256, write, fsync, rename). The host memory is
// made before the first one, as a training does it before its first step. Exit code 1 where the
// claim does not hold.

#include <ATen/ops/rand.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/writer.h"

namespace ganscale::checkpoint {
namespace {

constexpr int kCheckpointCount = 5;
constexpr std::int64_t kTensorBytes = 4'000'000;  // a 3x3 convolution of 333 to 333 channels
constexpr int kTensorsPerFile = 50;
constexpr double kMostOfTheWrite = 0.05;

/// 1.0 GB of weights, averages and moments, as a training of that size has them.
Snapshot make_snapshot() {
  Snapshot snapshot;
  for (const auto* file : {"generator", "generator_ema", "generator_optimizer", "discriminator",
                           "discriminator_optimizer"}) {
    for (int i = 0; i < kTensorsPerFile; ++i) {
      const auto name = "layer" + std::to_string(i) + ".weight";
      snapshot.files[file][name] = at::rand({kTensorBytes / 4});
    }
  }
  return snapshot;
}

/// Returns whether the claim holds.
bool run(const std::filesystem::path& folder) {
  Writer writer(folder, {.keep_last = 1});
  auto snapshot = make_snapshot();
  writer.prepare(snapshot);
  std::vector<double> ratios;
  std::printf("checkpoint    pause [s]    write [s]    ratio\n");
  for (int i = 1; i <= kCheckpointCount; ++i) {
    snapshot.images_seen = i * 1'000;
    const auto pause = writer.write(snapshot);
    if (!writer.wait()) return false;  // the writer has logged the reason
    const double pause_seconds = (pause.wait + pause.copy).count();
    const double write_seconds = writer.status().last_write.count();
    ratios.push_back(pause_seconds / write_seconds);
    std::printf("%10d    %9.4f    %9.3f    %4.1f%%\n", i, pause_seconds, write_seconds,
                100 * ratios.back());
  }
  std::ranges::sort(ratios);
  const double median = ratios[ratios.size() / 2];
  const auto size_bytes = kTensorBytes * kTensorsPerFile * std::ssize(snapshot.files);
  std::printf("%.2f GB; median ratio: %.1f%% (needed: below %.0f%%)\n",
              static_cast<double>(size_bytes) / 1e9, 100 * median, 100 * kMostOfTheWrite);
  return median < kMostOfTheWrite;
}

}  // namespace
}  // namespace ganscale::checkpoint

int main(int argc, char** argv) {
  const auto folder = std::filesystem::path(argc > 1 ? argv[1] : ".") / "checkpoint-pause";
  std::filesystem::create_directories(folder);
  const bool holds = ganscale::checkpoint::run(folder);
  std::filesystem::remove_all(folder);
  return holds ? 0 : 1;
}
