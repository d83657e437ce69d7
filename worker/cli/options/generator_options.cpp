#include "cli/options/generator_options.h"

#include <CLI/App.hpp>

#include "base/error.h"

namespace ganscale::cli {

void add_generator_options(CLI::App& verb, GeneratorOptions& options) {
  verb.add_option("--run", options.run, "folder of the run; uses its newest valid checkpoint");
  verb.add_option("--checkpoint", options.checkpoint, "folder of a checkpoint, or a bundle file");
}

training::TrainedGenerator load_generator(const GeneratorOptions& options) {
  if (options.run.empty() == options.checkpoint.empty()) {
    throw UsageError("give --run RUN, or --checkpoint DIR for one that is not the newest");
  }
  return options.run.empty() ? training::load_generator(options.checkpoint)
                             : training::load_newest_generator(options.run);
}

}  // namespace ganscale::cli
