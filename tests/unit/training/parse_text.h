#pragma once

#include <string>

#include "support/expect_error.h"
#include "training/run/parse_run.h"
#include "training/schemes/schemes.h"

namespace ganscale::training {

/// Parses a run's configuration from YAML text.
inline RunConfig parse(const std::string& yaml) {
  return parse_run(config::parse_yaml(yaml, "run.yaml"), schemes());
}

/// Expects a ConfigError with this message for a configuration.
inline void expect_refused(const std::string& message, const std::string& yaml) {
  expect_error(ExitCode::kConfig, message, [&] { parse(yaml); });
}

}  // namespace ganscale::training
