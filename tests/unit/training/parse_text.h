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

/// Returns a run whose ranks keep their own means of path lengths, which are regularized in the first
/// and the fifth step. more: sections.
inline RunConfig run_with_path_lengths(const std::string& total_kimg,
                                       const std::string& more = "") {
  RunConfig config = parse(
      "model: {name: stylegan2, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: 8, "
      "mapping_layers: 2}\n"
      "training: {batch: 4, running_means: local, samples_every_kimg: 0, grid_rows: 1, "
      "grid_columns: 1, total_kimg: " +
      total_kimg + "}\ngenerator: {path_length_weight: 2}\n" + more);
  config.model.channels = 1;
  return config;
}

/// Expects a ConfigError with this message for a configuration.
inline void expect_refused(const std::string& message, const std::string& yaml) {
  expect_error(ExitCode::kConfig, message, [&] { parse(yaml); });
}

}  // namespace ganscale::training
