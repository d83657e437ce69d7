#pragma once

#include "models/contract/model.h"

namespace CLI {
class App;
}

namespace ganscale::cli {

/// What verbs that work without a dataset must be told of it.
struct ShapeOptions {
  int channels = 3;
  int labels = 0;
};

/// Adds --channels and --labels.
void add_shape_options(CLI::App& verb, ShapeOptions& options);

/// Sets what a model takes from its dataset.
void set_shapes(const ShapeOptions& options, models::ModelConfig& model);

}  // namespace ganscale::cli
