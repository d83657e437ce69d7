#pragma once

#include <string>

#include "training/run/parse_run.h"
#include "training/schemes/schemes.h"

namespace ganscale::training {

/// Parses a run's configuration from YAML text.
inline RunConfig parse(const std::string& yaml) {
  return parse_run(config::parse_yaml(yaml, "run.yaml"), scheme_keys(schemes()));
}

}  // namespace ganscale::training
