#pragma once

#include <string>

#include "config/section.h"

namespace ganscale::control {

/// How a running training is monitored and controlled.
///
/// It is here and not in telemetry because telemetry and config are in the same layer.
struct TelemetryConfig {
  static constexpr int kOff = -1;

  std::string bind_address = "127.0.0.1";
  int metrics_port = 0;  ///< 0: any free port, -1: none
  int control_port = 0;  ///< 0: any free port, -1: none
  std::string token_file;
  std::string tls_certificate;  ///< of the control port, PEM; empty: plain HTTP
  std::string tls_key;
};

/// Reads the section `telemetry`. Throws ConfigError.
TelemetryConfig parse_telemetry(config::Section in);

}  // namespace ganscale::control
