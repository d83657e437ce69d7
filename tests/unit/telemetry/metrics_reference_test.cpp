#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "telemetry/family.h"
#include "telemetry/instruments.h"
#include "telemetry/process_usage.h"
#include "telemetry/registry.h"
#include "wire/names.h"

namespace ganscale::telemetry {
namespace {

template <const auto& kUpperBounds>
std::string describe(const Histogram<kUpperBounds>&) {
  std::ostringstream text;
  text << name(Type::kHistogram) << ": ";
  for (const double bound : kUpperBounds) text << bound << ' ';
  text << "+Inf";
  return text.str();
}
std::string describe(const Counter&) { return name(Type::kCounter); }
std::string describe(const Gauge&) { return name(Type::kGauge); }
template <class Value>
std::string describe(const Labeled<Value>&) {
  return describe(Value());
}

std::string row(const std::string& metric, const std::string& type, const std::string& label,
                const std::string& help) {
  const std::string labels = label.empty() ? "run, rank" : "run, rank, " + label;
  return "| `" + metric + "` | " + type + " | " + labels + " | " + help + " |\n";
}

constexpr const char* kHead = R"(# Metrics

Every node serves `GET /metrics` in Prometheus's text format on one port (`telemetry.metrics_port`; 9400 in pods),
with the values of all ranks of the node, labeled by `rank`. A gauge or histogram appears with its first value: `ganscale_fid`,
for example, appears after the first evaluation. Counters start at 0 with the process, on every rank; counters by phase start
when training starts, counters by network with the first step of `scheme: asynchronous`.

Every rank exposes the metrics of the run (`ganscale_images_seen`, `ganscale_world_size`). Only rank 0 writes checkpoints and
reports evaluations: only it has the gauges of checkpoints, FID and inception score, and `ganscale_checkpoint_failures_total`
stays 0 on the other ranks. With `scheme: per_label`, each rank trains its labels one after the other and writes their
checkpoints: it has the metrics of checkpoints, and its metrics of the run are those of its current label, with a world size
of 1. FID and inception score are those of all labels together, on rank 0, at the end.

This page is generated from the table in `worker/telemetry/instruments.cpp`. A test fails if it is out of date, and says how
to update it.

| metric | type | labels | meaning |
|---|---|---|---|
)";

/// Returns docs/metrics.md: every instrument with its type, labels and meaning, as Markdown.
std::string metrics_reference() {
  const Instruments defaults{};
  std::string text = kHead;
  for (const Instrument& instrument : instrument_table()) {
    const std::string type =
        std::visit([&](auto member) { return describe(defaults.*member); }, instrument.member);
    text += row(instrument.name, type, instrument.label, instrument.help);
  }
  text += row(wire::metric::kCpuSecondsTotal, name(Type::kCounter), "", kCpuSecondsHelp);
  text += row(wire::metric::kResidentMemoryBytes, name(Type::kGauge), "", kResidentMemoryHelp);
  text += row(wire::metric::kBuildInfo, name(Type::kGauge),
              "version, commit, libtorch, cuda, nccl, mpi, compiler", kBuildInfoHelp);
  return text;
}

TEST(MetricsReference, IsThePageInDocs) {
  const std::filesystem::path page = std::filesystem::path(GANSCALE_SOURCE_DIR) / "docs/metrics.md";
  if (std::getenv("GANSCALE_UPDATE_DOCS") != nullptr) std::ofstream(page) << metrics_reference();
  std::ostringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_EQ(text.str(), metrics_reference())
      << "docs/metrics.md is out of date; update it with: make docs";
}

}  // namespace
}  // namespace ganscale::telemetry
