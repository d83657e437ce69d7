#include "cli/options/shape_options.h"

#include <CLI/CLI.hpp>

#include "models/build_model.h"

namespace ganscale::cli {

void add_shape_options(CLI::App& verb, ShapeOptions& options) {
  verb.add_option("--channels", options.channels, "Channels of the images")
      ->check(CLI::IsMember({1, 3}))
      ->capture_default_str();
  verb.add_option("--labels", options.labels, "Number of labels, for a conditional model")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

void set_shapes(const ShapeOptions& options, models::ModelConfig& model) {
  model.channels = options.channels;
  model.label_count = models::takes_labels(model) ? options.labels : 0;
}

}  // namespace ganscale::cli
