#pragma once

#include <string>

#include "models/build_model.h"

namespace ganscale::models {

/// Reads a section `model` from YAML text.
inline ModelConfig read_model(const std::string& yaml) {
  return parse_model(config::Section(config::parse_yaml(yaml, "run.yaml")));
}

/// The same, for data with these labels.
inline ModelConfig read_model(const std::string& yaml, int label_count) {
  ModelConfig config = read_model(yaml);
  config.label_count = label_count;
  return config;
}

}  // namespace ganscale::models
