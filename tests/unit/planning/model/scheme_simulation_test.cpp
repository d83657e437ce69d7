#include "planning/model/scheme_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ganscale::planning {
namespace {

constexpr int kComparedInTest = 64;

/// Nothing varies and nothing but the device takes time.
Assumptions steady() {
  return {.launch_seconds = 0,
          .synchronize_seconds = 0,
          .jitter = 0,
          .spread = 0,
          .exchange_bytes_per_second = 1e18};
}

/// Both phases take a number of seconds for an image.
Workload work_of(double generator_seconds, double discriminator_seconds) {
  return {.phases = {{.name = "Gmain", .device = {{1, generator_seconds}}},
                     {.name = "Dmain",
                      .network = wire::Role::kDiscriminator,
                      .device = {{1, discriminator_seconds}}}},
          .image_bytes = 1};
}

SchemeComparison compare(const Workload& workload, const Scale& scale,
                         const Assumptions& assumptions = steady()) {
  const Conditions conditions = {.pauses_per_hour = 0};
  return compare_schemes({workload, machine_of_name("dgx-a100"), assumptions, conditions}, scale,
                         kComparedInTest, 1);
}

std::vector<std::string> names_in(const SchemeComparison& comparison) {
  std::vector<std::string> names;
  for (const SchemeRun& run : comparison.runs) names.push_back(to_text(run.choice));
  return names;
}

double seconds_in(const SchemeComparison& comparison, const std::string& name) {
  const auto is_meant = [&](const SchemeRun& run) { return to_text(run.choice) == name; };
  const auto found = std::ranges::find_if(comparison.runs, is_meant);
  return found == comparison.runs.end() ? 0 : found->step_seconds;
}

std::vector<std::string> ratios_on(const std::string& machine, const Scale& scale,
                                   std::int64_t passes = 1) {
  std::vector<std::string> ratios;
  for (const auto& ratio : fitting_ratios({.passes = passes}, machine_of_name(machine), scale)) {
    ratios.push_back(to_text(ratio));
  }
  return ratios;
}

TEST(FittingRatios, DivideTheGpusOfANodeAndTheBatch) {
  using Ratios = std::vector<std::string>;
  EXPECT_EQ(ratios_on("dgx-a100", {.gpus = 64, .batch = 512}), Ratios({"1:1"}));
  EXPECT_EQ(ratios_on("dgx-a100", {.gpus = 64, .batch = 480}),
            Ratios({"1:1", "1:3", "3:1", "3:5", "5:3"}));
  EXPECT_EQ(ratios_on("dgx-a100", {.gpus = 2, .batch = 12}), Ratios({"1:1"}));
  EXPECT_EQ(ratios_on("dgx-a100", {.gpus = 8, .batch = 105}), Ratios({"1:7", "3:5", "5:3", "7:1"}));
  EXPECT_EQ(ratios_on("summit-v100", {.gpus = 6, .batch = 12}), Ratios({"1:1", "1:2", "2:1"}));
  EXPECT_EQ(ratios_on("dgx-a100", {.gpus = 1, .batch = 8}), Ratios());
}

TEST(FittingRatios, LeaveEachPassAWholeNumberOfImages) {
  EXPECT_THAT(ratios_on("dgx-a100", {.gpus = 8, .batch = 24}), testing::Contains("1:3"));
  EXPECT_EQ(ratios_on("dgx-a100", {.gpus = 8, .batch = 24}, /*passes=*/3),
            std::vector<std::string>({"1:1"}));
}

TEST(CompareSchemes, TriesOtherStalenessesWithTheFastestRatio) {
  // On 2 and 6 GPUs, G and D take 240 ms each, and so do both together on all GPUs.
  const auto comparison = compare(work_of(0.01, 0.03), {.gpus = 8, .batch = 48});
  EXPECT_EQ(
      names_in(comparison),
      (std::vector<std::string>{
          "synchronous", "asynchronous 1:1, max_staleness 1", "asynchronous 1:3, max_staleness 0",
          "asynchronous 1:3, max_staleness 1", "asynchronous 1:3, max_staleness 2",
          "asynchronous 1:3, max_staleness 4", "asynchronous 3:1, max_staleness 1", "per_label"}));
  EXPECT_NEAR(seconds_in(comparison, "synchronous"), 0.24, 1e-9);
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:3, max_staleness 0"), 0.48, 1e-6);
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:3, max_staleness 1"), 0.24 * 17 / 16, 1e-6);
}

TEST(CompareSchemes, GivesTheFakesToTheRanksOfTheGenerator) {
  // Of the 30 ms that D has for an image, G makes its fakes for 10: each role has 20.
  Workload workload = work_of(0.01, 0.03);
  workload.phases[1].fakes = {{1, 0.01}};
  const auto comparison = compare(workload, {.gpus = 2, .batch = 2});
  EXPECT_NEAR(seconds_in(comparison, "synchronous"), 0.04, 1e-9);
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 1"), 0.04 * 17 / 16, 1e-6);
}

/// The discriminator takes 1 s for its two images, the generator 1 s on average, of which 0.2 s for
/// the fakes of each step; it trains in the last of each `critic_steps`.
Workload with_critic_steps(int critic_steps) {
  Workload workload = work_of(0.4 * critic_steps, 0.6);
  workload.phases[0].interval = critic_steps;
  workload.phases[0].offset = critic_steps - 1;
  workload.phases[1].fakes = {{1, 0.1}};
  workload.discriminator_first = true;
  return workload;
}

TEST(CompareSchemes, TrainsTheGeneratorInTheStepsInWhichItIsDue) {
  // SimulatedSteps, NeedMoreStalenessIfTheGeneratorTrainsInFew
  const auto two = compare(with_critic_steps(2), {.gpus = 2, .batch = 2});
  EXPECT_NEAR(seconds_in(two, "synchronous"), 1, 1e-9);
  EXPECT_NEAR(seconds_in(two, "asynchronous 1:1, max_staleness 1"), 1.4, 0.02);
  EXPECT_NEAR(seconds_in(two, "asynchronous 1:1, max_staleness 2"), 1.013, 0.02);
  const auto four = compare(with_critic_steps(4), {.gpus = 2, .batch = 2});
  EXPECT_NEAR(seconds_in(four, "asynchronous 1:1, max_staleness 1"), 1.6, 0.02);
  EXPECT_NEAR(seconds_in(four, "asynchronous 1:1, max_staleness 2"), 1.35, 0.02);
  EXPECT_NEAR(seconds_in(four, "asynchronous 1:1, max_staleness 4"), 1.013, 0.02);
}

TEST(CompareSchemes, TrainsTheGeneratorInTheFirstOfItsStepsIfItComesFirst) {
  Workload workload = with_critic_steps(5);
  workload.phases[0].offset = 0;
  workload.discriminator_first = false;
  const auto comparison = compare(workload, {.gpus = 2, .batch = 2});
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 1"), 1.66, 0.02);
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 2"), 1.49, 0.02);
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 4"), 1.19, 0.02);
}

TEST(CompareSchemes, RegularizesInTheStepsInWhichItIsDue) {
  // Of the second that a mean step of the discriminator takes, Dreg has a tenth.
  Workload workload = work_of(0.5, 0.45);
  workload.phases.push_back({.name = "Dreg",
                             .network = wire::Role::kDiscriminator,
                             .interval = 16,
                             .device = {{1, 0.8}}});
  const auto comparison = compare(workload, {.gpus = 2, .batch = 2});
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 1"), 1.15, 0.02);
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 2"), 1.09, 0.02);
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 4"), 1.06, 0.02);
}

TEST(CompareSchemes, TriesEachRatioWithAStalenessThatSuitsIt) {
  // In two steps, G trains for 9.6 s at 1:1, for 19.2 s at 1:3, which staleness 2 hides best, and
  // for 6.4 s at 3:1, which staleness 1 hides in D's 6 s a step.
  const auto comparison = compare(with_critic_steps(2), {.gpus = 4, .batch = 12});
  EXPECT_EQ(
      names_in(comparison),
      (std::vector<std::string>{
          "synchronous", "asynchronous 1:1, max_staleness 0", "asynchronous 1:1, max_staleness 1",
          "asynchronous 1:1, max_staleness 2", "asynchronous 1:1, max_staleness 4",
          "asynchronous 1:3, max_staleness 2", "asynchronous 3:1, max_staleness 1", "per_label"}));
}

TEST(CompareSchemes, LaunchesOneByOneWhatAGraphCannotHave) {
  Workload workload = work_of(0.01, 0.01);
  for (Phase& phase : workload.phases) phase.graph_launches = 300;
  workload.phases[1].fakes = {{1, 0.001}};
  workload.phases[1].fakes_launches = 100;
  Assumptions assumptions = steady();
  assumptions.launch_seconds = 0.001;
  const auto comparison = compare(workload, {.gpus = 2, .batch = 2}, assumptions);
  EXPECT_TRUE(comparison.cuda_graphs);
  EXPECT_NEAR(seconds_in(comparison, "synchronous"), 0.02, 1e-9);
  // G launches 400 times. D, which launches 200 times, waits for it.
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 1"), 0.4, 0.02);
}

TEST(CompareSchemes, CountsWhatTheRolesExchange) {
  Workload workload = work_of(0.01, 0.01);
  workload.image_bytes = 250;  // a fake has 1,000
  workload.phases[1].reduced_bytes = 6000;
  Assumptions assumptions = steady();
  assumptions.exchange_bytes_per_second = 1e4;
  const auto comparison = compare(workload, {.gpus = 2, .batch = 4}, assumptions);
  EXPECT_NEAR(seconds_in(comparison, "synchronous"), 0.04, 1e-9);
  EXPECT_NEAR(comparison.runs[1].exchange_seconds, 1, 1e-9);
  // Each computes for 40 ms, sends four fakes and a snapshot, or receives them.
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 1"), 1.04 * 17 / 16, 1e-6);
}

TEST(CompareSchemes, PlacesEachRoleOnAllNodes) {
  // Two nodes: both roles reduce between them, though eight GPUs would fit into one, over half of
  // each port.
  Workload workload = work_of(0.01, 0.01);
  for (Phase& phase : workload.phases) {
    phase.reduced_bytes = 1e9;
    phase.reductions = 1;
  }
  const Assumptions assumptions = steady();
  const Machine& machine = machine_of_name("dgx-a100");
  Machine half = machine;
  half.gpus_per_node = 4;
  half.between.bytes_per_second /= 2;
  const double reducing = all_reduce_time(1e9, 8, half, assumptions.link_share).seconds;
  EXPECT_GT(reducing, all_reduce_time(1e9, 8, machine, assumptions.link_share).seconds);
  const auto comparison = compare(workload, {.gpus = 16, .batch = 16}, assumptions);
  EXPECT_NEAR(seconds_in(comparison, "asynchronous 1:1, max_staleness 0"), 2 * (0.02 + reducing),
              1e-6);
}

TEST(CompareSchemes, LeavesOutTheRolesOfOneGpu) {
  const auto comparison = compare(work_of(0.01, 0.03), {.gpus = 1, .batch = 8});
  EXPECT_EQ(names_in(comparison), (std::vector<std::string>{"synchronous", "per_label"}));
}

TEST(CompareSchemes, GivesTwoGpusOnlyToTheRanksOfLabels) {
  const auto comparison = compare(work_of(0.01, 0.03), {.gpus = 8, .batch = 32, .gpus_of_rank = 2});
  EXPECT_EQ(names_in(comparison), (std::vector<std::string>{"per_label"}));
  EXPECT_NEAR(comparison.runs[0].images_per_second, 32 / 0.32, 1e-6);
}

}  // namespace
}  // namespace ganscale::planning
