#include "training/bench/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

constexpr const char* kPlainRun = "model: {name: dcgan, resolution: 32}\ntraining: {batch: 8}\n";

planning::Workload count(const std::string& yaml) {
  return count_workload(parse(yaml), /*images=*/8, cost::device_of_name("A100"));
}

TEST(CountWorkload, AssignsEachPhaseToItsNetworkAndTheInputToTheDiscriminator) {
  const planning::Workload workload = count(kPlainRun);
  for (const planning::Phase& phase : workload.phases) {
    const bool of_discriminator = phase.name == "input" || phase.name.starts_with('D');
    EXPECT_EQ(phase.network == wire::Role::kDiscriminator, of_discriminator) << phase.name;
  }
  EXPECT_EQ(workload.phases.front().name, "input");
  EXPECT_EQ(workload.phases.back().name, "average");
  EXPECT_EQ(workload.image_bytes, 3 * 32 * 32);
}

TEST(CountWorkload, CountsAtAQuarterOfTheImagesAndAtAll) {
  for (const planning::Phase& phase : count(kPlainRun).phases) {
    ASSERT_EQ(phase.device.size(), 2U);
    EXPECT_EQ(phase.device[0].images, 2);
    EXPECT_EQ(phase.device[1].images, 8);
    EXPECT_LE(phase.device[0].seconds, phase.device[1].seconds) << phase.name;
  }
}

TEST(CountWorkload, TellsInWhichStepsTheGeneratorTrains) {
  const std::string critic = std::string(kPlainRun) + "loss: {critic_steps: 4, first: ";
  const planning::Workload before = count(critic + "generator}\n");
  const planning::Workload after = count(critic + "discriminator}\n");
  EXPECT_FALSE(before.discriminator_first);
  EXPECT_TRUE(after.discriminator_first);
  const auto offset_in = [](const planning::Workload& workload) {
    return std::ranges::find(workload.phases, "Gmain", &planning::Phase::name)->offset;
  };
  EXPECT_EQ(offset_in(before), 0);
  EXPECT_EQ(offset_in(after), 3);
}

TEST(CountWorkload, TellsHowLongDmainMakesFakes) {
  for (const planning::Phase& phase : count(kPlainRun).phases) {
    ASSERT_EQ(phase.fakes.size(), phase.name == "Dmain" ? 2U : 0U) << phase.name;
    for (std::size_t i = 0; i < phase.fakes.size(); ++i) {
      EXPECT_EQ(phase.fakes[i].images, phase.device[i].images);
      EXPECT_GT(phase.fakes[i].seconds, 0);
      EXPECT_LT(phase.fakes[i].seconds, phase.device[i].seconds);
    }
    EXPECT_EQ(phase.fakes_launches > 0, phase.name == "Dmain") << phase.name;
    EXPECT_LE(phase.fakes_launches, phase.launches) << phase.name;
    EXPECT_LE(phase.fakes_reductions, phase.reductions) << phase.name;
    EXPECT_LE(phase.fakes_reduced_bytes, phase.reduced_bytes) << phase.name;
  }
}

std::string narrow(const std::string& model) {
  return "model: {channel_max: 8, " + model + "}\ntraining: {batch: 8}\n";
}

/// A run, images on a rank, and at which numbers of images it is counted instead of a quarter and
/// all of them.
struct Indivisible {
  std::string yaml;
  std::int64_t images;
  std::pair<double, double> counted;
};

// On two ranks: a quarter of 12 images is 3 on a rank, 6 in all, and no whole groups of 4.
TEST(CountWorkload, CountsWhatTwoRanksCanDivide) {
  const std::string accumulates = "training: {batch: 64, accumulate: 8}\n";
  for (const Indivisible& run : {
           Indivisible{narrow("name: stylegan2, mbstd_group: 4"), 12, {2, 12}},
           Indivisible{narrow("name: stylegan2, mbstd_group: 4"), 3, {1, 4}},
           Indivisible{narrow("name: stylegan2, mbstd_group: 4"), 5, {1, 6}},
           Indivisible{narrow("name: stylegan2, mbstd_group: 8"), 24, {4, 24}},
           Indivisible{narrow("name: stylegan2, mbstd_group: 4, mbstd: local"), 20, {4, 20}},
           Indivisible{narrow("name: stylegan3, mbstd_group: 4"), 12, {2, 12}},
           Indivisible{narrow("name: r3gan, group_channels: 8"), 12, {3, 12}},
           Indivisible{accumulates, 16, {8, 16}},
           Indivisible{accumulates, 8, {8, 16}},
       }) {
    const planning::Workload workload =
        count_workload(parse(run.yaml), run.images, cost::device_of_name("A100"));
    for (const planning::Phase& phase : workload.phases) {
      ASSERT_EQ(phase.device.size(), 2U);
      EXPECT_EQ(phase.device[0].images, run.counted.first) << run.yaml << run.images;
      EXPECT_EQ(phase.device[1].images, run.counted.second) << run.yaml << run.images;
    }
  }
}

TEST(CountWorkload, LaunchesNothingOfAPhaseThatAGraphReplays) {
  const planning::Workload one_by_one = count(kPlainRun);
  const planning::Workload replayed =
      count("model: {name: dcgan, resolution: 32}\ntraining: {batch: 8, cuda_graphs: true}\n");
  ASSERT_EQ(one_by_one.phases.size(), replayed.phases.size());
  for (std::size_t i = 0; i < replayed.phases.size(); ++i) {
    const planning::Phase& phase = replayed.phases[i];
    if (phase.name == "input" || phase.name == "average") continue;
    EXPECT_LT(phase.launches, one_by_one.phases[i].launches) << phase.name;
    EXPECT_GT(phase.graph_launches, 0) << phase.name;
    EXPECT_EQ(one_by_one.phases[i].graph_launches, 0) << phase.name;
    EXPECT_EQ(phase.reduced_bytes, one_by_one.phases[i].reduced_bytes) << phase.name;
  }
}

}  // namespace
}  // namespace ganscale::training
