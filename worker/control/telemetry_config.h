#pragma once

#include <string>

#include "config/section.h"
#include "wire/names.h"

namespace ganscale::control {

/// How a running training is watched and told what to do.
///
/// It lies here and not in telemetry, because telemetry and config are of one layer.
struct TelemetryConfig {
  static constexpr int kOff = -1;

  std::string bind_address = "0.0.0.0";
  int metrics_port = wire::kDefaultMetricsPort;  ///< 0: any free one, -1: none
  int control_port = wire::kDefaultControlPort;  ///< 0: any free one, -1: none
  std::string token_file;
};

/// Reads the section `telemetry`. Throws ConfigError.
TelemetryConfig parse_telemetry(config::Section in);

}  // namespace ganscale::control
