#pragma once

#include <filesystem>

#include "training/generators/trained_generator.h"

namespace CLI {
class App;
}

namespace ganscale::cli {

/// The options of verbs that use a trained generator.
struct GeneratorOptions {
  std::filesystem::path run;
  std::filesystem::path checkpoint;
};

/// Adds --run and --checkpoint.
void add_generator_options(CLI::App& verb, GeneratorOptions& options);

/// Loads the generator. Throws UsageError unless one of the two is given; otherwise throws like
/// training::load_generator().
training::TrainedGenerator load_generator(const GeneratorOptions& options);

}  // namespace ganscale::cli
