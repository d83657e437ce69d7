#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/contract/style_generator.h"
#include "training/generators/trained_generator.h"

namespace CLI {
class App;
}
namespace ganscale::cli {

/// The options of verbs that use a trained generator.
struct GeneratorOptions {
  std::filesystem::path run;
  std::filesystem::path checkpoint;
  std::optional<double> ema_kimg;
};

/// Adds --run, --checkpoint and --ema.
void add_generator_options(CLI::App& verb, GeneratorOptions& options);

/// Loads the generator. Throws UsageError unless one of the two is given; otherwise throws like
/// training::load_generator().
training::TrainedGenerator load_generator(const GeneratorOptions& options);

/// The options by which a generator samples otherwise than its run does.
struct SamplingOptions {
  std::optional<double> truncation;
  std::int64_t truncation_cutoff = -1;
  int standing_passes = 0;
};

/// Adds --truncation, --truncation-cutoff and --standing-statistics.
void add_sampling_options(CLI::App& verb, SamplingOptions& options);

/// Returns the truncation that the options ask for.
std::optional<models::Truncation> wanted_truncation(const SamplingOptions& options);

/// Computes the statistics of batch norms anew, if the options ask for it. Throws UsageError for a
/// model without any.
///
/// threshold: of truncated latents.
void take_statistics(const SamplingOptions& options, const training::TrainedGenerator& trained,
                     std::optional<double> threshold);

/// Returns the options that were given, such as "--truncation 0.5".
std::vector<std::string> given_options(const SamplingOptions& options);

/// Adds --device: auto, cpu or gpu.
void add_device_option(CLI::App& verb, std::string& kind);

/// Selects the device of this process, which is alone: the first GPU, or the CPU. It
/// computes without TF32, so that images are the same on all devices but for rounding.
/// Throws: DeviceError if a GPU is requested and there is none.
c10::Device open_device(const std::string& kind);

}  // namespace ganscale::cli
