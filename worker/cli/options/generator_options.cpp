#include "cli/options/generator_options.h"

#include <CLI/App.hpp>
#include <CLI/CLI.hpp>

#include "base/error.h"
#include "device/gpu.h"
#include "device/select_device.h"
#include "training/run/run_folder.h"

namespace ganscale::cli {

void add_generator_options(CLI::App& verb, GeneratorOptions& options) {
  verb.add_option("--run", options.run, "folder of the run; uses its newest valid checkpoint");
  verb.add_option("--checkpoint", options.checkpoint, "folder of a checkpoint, or a bundle file");
  verb.add_option("--ema", options.ema_kimg,
                  "half-life of the average to take, in thousands of images, one of "
                  "generator.other_ema_kimg; default: generator.ema_kimg");
}

training::TrainedGenerator load_generator(const GeneratorOptions& options) {
  if (options.run.empty() == options.checkpoint.empty()) {
    throw UsageError("pass either --run RUN (its newest checkpoint) or --checkpoint DIR, not both");
  }
  if (!options.run.empty()) return training::load_newest_generator(options.run, options.ema_kimg);
  if (std::filesystem::exists(training::RunFolder(options.checkpoint).config())) {
    throw UsageError("--checkpoint: for a run's folder, use --run: " + options.checkpoint.string());
  }
  return training::load_generator(options.checkpoint, options.ema_kimg);
}

void add_device_option(CLI::App& verb, std::string& kind) {
  verb.add_option("--device", kind, "cpu, gpu, or auto: a GPU if there is one")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}))
      ->capture_default_str();
}

c10::Device open_device(const std::string& kind) {
  const auto device = device::select_device(device::device_kind(kind), /*local_rank=*/0,
                                            /*local_size=*/1, device::visible_gpu_count());
  device::use_device(device);
  device::allow_tf32(false);
  return device;
}

}  // namespace ganscale::cli
