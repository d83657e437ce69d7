#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>
#include <string>

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

/// Adds --device: auto, cpu or gpu.
void add_device_option(CLI::App& verb, std::string& kind);

/// Selects the device of this process, which is alone: the first GPU, or the CPU. It
/// computes without TF32, so that images are the same on all devices but for rounding.
/// Throws: DeviceError if a GPU is requested and there is none.
c10::Device open_device(const std::string& kind);

}  // namespace ganscale::cli
