#pragma once

#include <string>

#include "training/run/run_config.h"

namespace ganscale::training {

/// Parses a run's configuration from YAML text.
inline RunConfig parse(const std::string& yaml) {
  return parse_run(config::parse_yaml(yaml, "run.yaml"));
}

}  // namespace ganscale::training
