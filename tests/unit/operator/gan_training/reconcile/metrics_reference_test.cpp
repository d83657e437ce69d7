#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <sstream>

#include "base/joined.h"
#include "controller/metrics.h"
#include "gan_training/reconcile/training_metrics.h"
#include "scaling_sweep/reconcile/sweep_metrics.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr const char* kHead = R"(# Metrics of the operator

Every replica of the operator serves `GET /metrics` in Prometheus's text format on port 8080 (`--metrics-port`), under the names
that controller-runtime uses. Only the leader reconciles, but all replicas count trainings and sweeps, so take their maximum,
not their sum. For the metrics of trainings see [metrics.md](metrics.md).

This page is generated from `operator/controller/metrics.cpp`, `operator/gan_training/reconcile/training_metrics.cpp` and
`operator/scaling_sweep/reconcile/sweep_metrics.cpp`. A test fails if it is out of date, and says how to update it.

| metric | type | labels | meaning |
|---|---|---|---|
)";

/// A sweep of one point that has every figure.
Json measured_sweep() {
  const Json step = {{"computeMs", 1},  {"exposedAllReduceMs", 1}, {"dataWaitMs", 1},
                     {"roleWaitMs", 1}, {"medianMs", 1},           {"p99Ms", 1}};
  const Json point = {{"name", "n1"},
                      {"ranks", 1},
                      {"n", 1},
                      {"failed", 0},
                      {"imagesPerSecond", 1},
                      {"speedup", 1},
                      {"efficiencyPercent", 100},
                      {"communicationPercent", 0},
                      {"stragglerRatio", 1},
                      {"completionSeconds", 1},
                      {"gpuUsePercent", 1},
                      {"memoryPercent", 1},
                      {"step", step}};
  return {{"metadata", Json::object()}, {"status", {{"points", Json::array({point})}}}};
}

/// An operator with one controller that has done one of each thing.
std::vector<telemetry::Family> families() {
  OperatorMetrics program("ganscale-operator");
  program.on_request("GET", 200, std::chrono::milliseconds(1));
  ControllerMetrics controller;
  controller.on_reconcile("success");
  Families families;
  program.collect(families);
  controller.collect("gantraining", {}, families);
  const Json training = {{"metadata", Json::object()}};
  collect_trainings({std::make_shared<const Json>(training)}, Time(), families);
  scaling_sweep::collect_sweeps({std::make_shared<const Json>(measured_sweep())}, families);
  return families.all();
}

std::string labels_of(const telemetry::Family& family) {
  return joined(std::views::keys(family.samples.at(0).labels));
}

std::string reference() {
  std::string text = kHead;
  for (const telemetry::Family& family : families()) {
    text += "| `" + family.name + "` | " + telemetry::name(family.type) + " | " +
            labels_of(family) + " | " + family.help + " |\n";
  }
  return text;
}

TEST(MetricsReference, IsThePageInDocs) {
  const std::filesystem::path page =
      std::filesystem::path(GANSCALE_SOURCE_DIR) / "docs/metrics-operator.md";
  if (std::getenv("GANSCALE_UPDATE_DOCS") != nullptr) std::ofstream(page) << reference();
  std::ostringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_EQ(text.str(), reference()) << page << " is out of date; update it with: make docs";
}

}  // namespace
}  // namespace ganscale::controller::gan_training
