#include "training/bench/measure_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/backends/thread_group.h"
#include "training/bench/synthetic_dataset.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

/// A DC-GAN on gray images.
RunConfig small_run(const std::string& measure) {
  RunConfig config = parse("training: {batch: 8}\nmeasure: " + measure + "\n");
  config.model.channels = 1;
  return config;
}

double sum_of(const std::vector<Spread>& spreads) {
  double sum = 0;
  for (const Spread& spread : spreads) sum += spread.mean;
  return sum;
}

TEST(MeasureSteps, GivesAllRanksOneResult) {
  const RunConfig config = small_run("{warmup_steps: 1, steps: 4}");
  comm::run_ranks(2, [&](comm::Group& group) {
    const Dataset dataset = synthetic_dataset(config.model);
    const MeasuredSteps steps = measure_steps(config, dataset, at::kCPU, group);
    EXPECT_EQ(steps.ranks, 2);
    EXPECT_EQ(steps.measured.steps, 4);
    EXPECT_EQ(steps.measured.images, 4 * 8);
    ASSERT_EQ(steps.terms.size(), 4U);
    for (const Spread& term : steps.terms) {
      EXPECT_GE(term.lowest, 0) << term.name;
      EXPECT_LE(term.lowest, term.mean + 1e-12) << term.name;
      EXPECT_LE(term.mean, term.highest + 1e-12) << term.name;
    }
    // What the ranks spent adds up to a step; the window is the slowest rank's.
    EXPECT_LE(sum_of(steps.terms), steps.measured.seconds / 4 + 1e-9);
    EXPECT_GT(sum_of(steps.terms), 0);
    EXPECT_GT(steps.terms[1].highest, 0);  // all_reduce
    const double mean = steps.terms[0].mean;
    const at::Tensor highest = at::tensor({mean}, at::kDouble);
    group.all_reduce_max(highest);
    EXPECT_EQ(highest.item<double>(), mean);
  });
}

TEST(MeasureSteps, ReportsThePhasesInTheirOrder) {
  const RunConfig config = small_run("{steps: 2}");
  const auto group = comm::make_single_group();
  const MeasuredSteps steps =
      measure_steps(config, synthetic_dataset(config.model), at::kCPU, *group);
  ASSERT_EQ(steps.phases.size(), 2U);
  EXPECT_GT(steps.phases[0].mean, 0);
  EXPECT_LE(sum_of(steps.phases), sum_of(steps.terms));
  EXPECT_EQ(steps.terms[1].highest, 0);  // all_reduce
  const auto json = to_json(steps);
  EXPECT_EQ(json["resolution"], (nlohmann::json{32, 32}));
  EXPECT_EQ(json["steps"], 2);
  EXPECT_NEAR(json["step_seconds_mean"].get<double>() * 2, steps.measured.seconds, 1e-9);
  EXPECT_NEAR(json["images_per_second"].get<double>() * json["seconds_per_kimg"].get<double>(),
              1000, 1e-6);
  EXPECT_TRUE(json["phase_seconds"].contains(steps.phases[1].name));
  EXPECT_THAT(to_table(steps), testing::HasSubstr("2 steps after 0"));
}

TEST(SyntheticDataset, HasTheImagesOfTheModel) {
  RunConfig config = small_run("{steps: 1}");
  config.model.channels = 3;
  config.model.label_count = 5;
  const Dataset dataset = synthetic_dataset(config.model);
  data::Record record;
  dataset.source->read(7, record);
  EXPECT_EQ(record.bytes.size(), 3U * 32 * 32);
  EXPECT_EQ(record.label, 2);
  EXPECT_EQ(dataset.facts.label_probabilities, std::vector<double>(5, 0.2));
  data::Record same;
  dataset.source->read(7, same);
  EXPECT_TRUE(std::ranges::equal(record.bytes, same.bytes));
}

}  // namespace
}  // namespace ganscale::training
