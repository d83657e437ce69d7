#include "cli/options/generator_options.h"

#include <CLI/App.hpp>
#include <CLI/CLI.hpp>

#include "base/error.h"
#include "cli/options/number_checks.h"
#include "config/units.h"
#include "device/gpu.h"
#include "device/select_device.h"
#include "models/standing_statistics.h"
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

void add_sampling_options(CLI::App& verb, SamplingOptions& options) {
  auto* psi = verb.add_option("--truncation", options.truncation,
                              "psi of a style-based model: 1 is full variety, 0 the mean image; "
                              "for BigGAN the threshold beyond which latents are resampled")
                  ->check(finite_number);
  verb.add_option("--truncation-cutoff", options.truncation_cutoff,
                  "truncate only this many layers, starting with the first (coarsest)")
      ->check(CLI::Range(0, 100))
      ->needs(psi);
  verb.add_option("--standing-statistics", options.standing_passes,
                  "compute batch norm statistics from this many passes of 64 images")
      ->check(CLI::Range(1, 100'000));
}

std::optional<models::Truncation> wanted_truncation(const SamplingOptions& options) {
  if (!options.truncation) return std::nullopt;
  return models::Truncation{*options.truncation, options.truncation_cutoff};
}

void take_statistics(const SamplingOptions& options, const training::TrainedGenerator& trained,
                     std::optional<double> threshold) {
  if (options.standing_passes == 0) return;
  const bool has_norms = models::take_standing_statistics(
      *trained.generator, options.standing_passes, trained.config.training.seed, threshold);
  if (has_norms) return;
  throw UsageError("--standing-statistics: this model has no batch norm: " +
                   trained.config.model.name);
}

std::vector<std::string> given_options(const SamplingOptions& options) {
  std::vector<std::string> given;
  if (options.truncation) {
    given.push_back("--truncation " + config::format_number(*options.truncation));
  }
  if (options.truncation_cutoff >= 0) {
    given.push_back("--truncation-cutoff " + std::to_string(options.truncation_cutoff));
  }
  if (options.standing_passes > 0) {
    given.push_back("--standing-statistics " + std::to_string(options.standing_passes));
  }
  return given;
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
