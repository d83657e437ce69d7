#include "control/telemetry_config.h"

#include "support/expect_error.h"

namespace ganscale::control {
namespace {

TelemetryConfig parse(const std::string& yaml) {
  return parse_telemetry(config::Section(config::parse_yaml(yaml, "run.yaml")));
}

TEST(TelemetryConfig, TakesFreePortsOfThisMachineByDefault) {
  const TelemetryConfig c = parse("{}\n");
  EXPECT_EQ(c.bind_address, "127.0.0.1");
  EXPECT_EQ(c.metrics_port, 0);
  EXPECT_EQ(c.control_port, 0);
}

TEST(TelemetryConfig, TakesAnyFreePortAndNone) {
  const TelemetryConfig c = parse("metrics_port: 0\ncontrol_port: -1\n");
  EXPECT_EQ(c.metrics_port, 0);
  EXPECT_EQ(c.control_port, TelemetryConfig::kOff);
}

TEST(TelemetryConfig, RefusesNumbersThatAreNotPorts) {
  expect_error(ExitCode::kConfig, "run.yaml:1: metrics_port: expected a port",
               [] { parse("metrics_port: 65536\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: control_port: expected a port",
               [] { parse("control_port: -2\n"); });
}

TEST(TelemetryConfig, RefusesACertificateWithoutItsKey) {
  EXPECT_EQ(parse("tls_certificate: a.crt\ntls_key: a.key\n").tls_key, "a.key");
  for (const char* half : {"tls_certificate: a.crt\n", "tls_key: a.key\n"}) {
    expect_error(ExitCode::kConfig, "tls_key: a certificate and its key go together",
                 [&] { parse(half); });
  }
}

TEST(TelemetryConfig, RefusesOnePortForBoth) {
  expect_error(ExitCode::kConfig, "run.yaml:2: control_port: is the metrics port: 9000",
               [] { parse("metrics_port: 9000\ncontrol_port: 9000\n"); });
}

}  // namespace
}  // namespace ganscale::control
