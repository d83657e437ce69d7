#include "control/telemetry_config.h"

namespace ganscale::control {
namespace {

int read_port(config::Section& in, const char* key, int fallback, const char* documentation) {
  const int port = in.get(key, fallback, documentation);
  in.require(port, config::between(TelemetryConfig::kOff, 65535), key,
             "expected a port, 0 for any free one or -1 for none: " + std::to_string(port));
  return port;
}

}  // namespace

TelemetryConfig parse_telemetry(config::Section in) {
  TelemetryConfig c;
  c.bind_address =
      in.get("bind_address", c.bind_address,
             "bind address of both ports: 0.0.0.0 for all interfaces; without a token the control "
             "port binds to loopback only");
  c.metrics_port =
      read_port(in, "metrics_port", c.metrics_port,
                "port of Prometheus metrics of a node's ranks; 0: any free port, -1: none");
  c.control_port = read_port(in, "control_port", c.control_port,
                             "port of status and commands, on rank 0; 0: any free port, -1: none");
  c.token_file = in.get("token_file", c.token_file,
                        "file with the bearer token of the control port; read for each request");
  c.tls_certificate = in.get(
      "tls_certificate", c.tls_certificate,
      "PEM file with the certificate chain with which the control port speaks HTTPS; read for "
      "each client");
  c.tls_key = in.get("tls_key", c.tls_key, "PEM file with the certificate's key");
  in.require(c.tls_certificate.empty() == c.tls_key.empty(), "tls_key",
             "a certificate and its key go together");
  const bool same = c.metrics_port > 0 && c.metrics_port == c.control_port;
  in.require(!same, "control_port", "is the metrics port: " + std::to_string(c.control_port));
  in.reject_unread_keys();
  return c;
}

}  // namespace ganscale::control
