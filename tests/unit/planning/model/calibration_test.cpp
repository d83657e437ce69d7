#include "planning/model/calibration.h"

#include "support/expect_error.h"

namespace ganscale::planning {
namespace {

const Machine& dgx_a100() { return machine_of_name("dgx-a100"); }

/// A second for ten images, of which gradients of 1 GB are reduced after it.
Workload reducing_workload() {
  return {.phases = {{.name = "main",
                      .device = {{10, 1}},
                      .launches = 1000,
                      .reduced_bytes = 1e9,
                      .reductions = 1}},
          .image_bytes = 1000};
}

Calibration parse_measured(const std::string& yaml) {
  return parse_calibration(config::Section(config::parse_yaml(yaml, "measured.yaml")), dgx_a100());
}

Assumptions fitted(const std::string& yaml) {
  return fit(parse_measured(yaml), reducing_workload(), dgx_a100());
}

/// Measurements that the model itself makes up.
std::string point(const Assumptions& truth, const Scale& scale) {
  const double seconds =
      seconds_per_kimg(predict_step(reducing_workload(), dgx_a100(), truth, scale), scale);
  return "  - {gpus: " + std::to_string(scale.gpus) + ", batch: " + std::to_string(scale.batch) +
         ", seconds_per_kimg: " + std::to_string(seconds) + "}\n";
}

TEST(AssumedOf, HasTheLaunchesOfTheDevice) {
  const auto launch_seconds_of = [](const char* machine, const char* yaml) {
    const std::string points = "points: [{gpus: 1, batch: 10, seconds_per_kimg: 300}]\n";
    return parse_calibration(config::Section(config::parse_yaml(points + yaml, "measured.yaml")),
                             machine_of_name(machine))
        .assumptions.launch_seconds;
  };
  EXPECT_EQ(assumed_of(machine_of_name("dgx-h100")).launch_seconds, 25e-6);
  EXPECT_EQ(launch_seconds_of("dgx-h100", ""), 25e-6);
  EXPECT_EQ(launch_seconds_of("dgx-a100", ""), 6e-6);
  EXPECT_EQ(launch_seconds_of("dgx-h100", "assume: {launch_seconds: 1e-5}\n"), 1e-5);
}

TEST(Fit, FindsTheValuesBehindMeasurements) {
  const Assumptions truth = {.device = 2.5, .launch_seconds = 6e-4, .synchronize_seconds = 0.03};
  const Assumptions found = fitted("fit: [device, launch_seconds, synchronize_seconds]\npoints:\n" +
                                   point(truth, {1, 32}) + point(truth, {1, 1}) +
                                   point(truth, {2, 64}) + point(truth, {8, 8}));
  EXPECT_NEAR(found.device, 2.5, 1e-4);
  EXPECT_NEAR(found.launch_seconds, 6e-4, 1e-7);
  EXPECT_NEAR(found.synchronize_seconds, 0.03, 1e-4);
}

TEST(Fit, TakesEfficiencies) {
  // On four times the GPUs 2.5 instead of 10 images each: half the speed where the host binds.
  const Assumptions found = fitted(
      "fit: [launch_seconds]\nassume: {synchronize_seconds: 0, jitter: 0, spread: 0}\npoints:\n"
      "  - {gpus: 4, batch: 10, efficiency: 0.5, against_gpus: 1, against_batch: 10}\n");
  const double reduced = all_reduce_time(1e9, 4, dgx_a100(), 0.8).seconds;
  EXPECT_NEAR(found.launch_seconds, (0.5 - reduced) / 1000, 1e-8);
}

TEST(Fit, FitsTheDeviceByDefault) {
  const Assumptions found = fitted(
      "assume: {launch_seconds: 0}\npoints: [{gpus: 1, batch: 10, seconds_per_kimg: 300}]\n");
  EXPECT_NEAR(found.device, 3, 1e-4);
  EXPECT_EQ(found.launch_seconds, 0);
}

TEST(Fit, RefusesPointsThatDoNotDetermineTheFit) {
  expect_error(ExitCode::kConfig,
               "measured.yaml:1: fit: the points do not determine synchronize_seconds", [] {
                 fitted(
                     "fit: [synchronize_seconds]\n"
                     "points: [{gpus: 1, batch: 10, seconds_per_kimg: 300}]\n");
               });
}

TEST(Calibration, IsRefusedByKeyAndLine) {
  const auto refused = [](const std::string& why, const std::string& yaml) {
    expect_error(ExitCode::kConfig, why, [&] { parse_measured(yaml); });
  };
  const std::string good = "points: [{gpus: 1, batch: 8, seconds_per_kimg: 3}]\n";
  refused("measured.yaml:1: points: 0 points do not determine 1 values", "fit: [device]\n");
  refused("measured.yaml:2: fit: can't be fitted: weather (known: device, ",
          good + "fit: [weather]\n");
  refused("measured.yaml:2: fit: twice: device", good + "fit: [device, device]\n");
  refused("measured.yaml:3: fit: assume.launch_seconds is 0",
          good + "assume: {launch_seconds: 0}\nfit: [launch_seconds]\n");
  refused("measured.yaml:2: assume.link_share: must be at most 1",
          good + "assume: {link_share: 2}\n");
  refused("measured.yaml:2: unknown key: assume.jiter (did you mean jitter?)",
          good + "assume: {jiter: 2}\n");
  refused("measured.yaml:2: points[0].gpus: 12 do not fill nodes of 8 (dgx-a100)",
          "points:\n  - {gpus: 12, batch: 48, seconds_per_kimg: 3}\n");
  refused("measured.yaml:2: points[0].batch: less than an image for each of 8 GPUs: 4",
          "points:\n  - {gpus: 8, batch: 4, seconds_per_kimg: 3}\n");
  refused("measured.yaml:2: points[0].seconds_per_kimg: give either",
          "points:\n  - {gpus: 8, batch: 8}\n");
  refused("measured.yaml:2: points[0].seconds_per_kimg: must be above 0",
          "points:\n  - {gpus: 8, batch: 8, seconds_per_kimg: -1, efficiency: 1}\n");
  refused("measured.yaml:2: points[0].at_once: must not be negative",
          "points:\n  - {gpus: 8, batch: 8, seconds_per_kimg: 3, at_once: -1}\n");
  refused("measured.yaml:2: points[0].against_gpus: 9 do not fill",
          "points:\n  - {gpus: 8, batch: 8, efficiency: 0.5, against_gpus: 9}\n");
  refused("measured.yaml:2: unknown key: points[0].gpu (did you mean gpus?)",
          "points:\n  - {gpu: 8, gpus: 8, batch: 8, seconds_per_kimg: 3}\n");
  refused("measured.yaml:2: unknown key: point (did you mean points?)", good + "point: 3\n");
}

TEST(Assumptions, AreWrittenAsTheyAreRead) {
  const Assumptions assumptions = {.device = 2.5, .jitter = 0.25};
  const std::string yaml = to_yaml(assumptions);
  const Assumptions read = parse_assumptions(config::Section(config::parse_yaml(yaml, "a.yaml")));
  EXPECT_EQ(read.device, 2.5);
  EXPECT_EQ(read.jitter, 0.25);
  EXPECT_EQ(to_yaml(read), yaml);
}

}  // namespace
}  // namespace ganscale::planning
