#include "training/replica/run_snapshot.h"

#include <ATen/ATen.h>

#include "support/expect_error.h"
#include "training/run/parse_run.h"

namespace ganscale::training {
namespace {

RunConfig make_config(std::uint64_t seed) {
  RunConfig config = parse_run(config::parse_yaml("model: {name: dcgan}", "test"));
  config.model.channels = 1;
  config.training.seed = seed;
  return config;
}

RunFacts make_facts() {
  return {.model = "dcgan", .record_count = 70, .label_count = 0, .channels = 1};
}

TEST(RunSnapshot, PutsAnotherReplicaWhereTheFirstWas) {
  Replica first(make_config(1), at::kCPU, {});
  Replica second(make_config(2), at::kCPU, {});
  const Progress progress{.images_seen = 640, .step = 10, .stream_position = 640, .tick = 2};
  const auto snapshot = make_snapshot(first.state(), make_facts(), progress);
  const Progress restored = restore(second, make_facts(), snapshot);
  EXPECT_EQ(restored.images_seen, 640);
  EXPECT_EQ(restored.step, 10);
  EXPECT_EQ(restored.tick, 2);
  const auto expected = first.state();
  for (const auto& [file, tensors] : second.state()) {
    for (const auto& [name, tensor] : tensors) {
      EXPECT_TRUE(at::equal(tensor, expected.at(file).at(name))) << file << ": " << name;
    }
  }
}

TEST(RunSnapshot, OfOtherDataOrAnotherModelIsRefused) {
  Replica replica(make_config(1), at::kCPU, {});
  const auto snapshot = make_snapshot(replica.state(), make_facts(), {});
  RunFacts facts = make_facts();
  facts.record_count = 71;
  expect_error(ExitCode::kConfig,
               "different number of records; choose a new folder with --run: 70, now 71",
               [&] { restore(replica, facts, snapshot); });
  facts = make_facts();
  facts.model = "conditional_dcgan";
  expect_error(ExitCode::kConfig, "a different model", [&] { restore(replica, facts, snapshot); });
}

TEST(RunSnapshot, OfLabelsWithOtherNamesIsRefused) {
  Replica replica(make_config(1), at::kCPU, {});
  RunFacts before = make_facts();
  before.label_count = 3;
  before.label_names = {"ape", "cat", "dog"};
  const auto snapshot = make_snapshot(replica.state(), before, {});
  RunFacts facts = before;
  EXPECT_NO_THROW(restore(replica, facts, snapshot));
  facts.label_names = {"ape", "bear", "cat"};
  expect_error(ExitCode::kConfig,
               R"(different name of label 1; choose a new folder with --run: "cat", now "bear")",
               [&] { restore(replica, facts, snapshot); });
  facts.label_names.clear();
  EXPECT_NO_THROW(restore(replica, facts, snapshot)) << "the data have no names";
}

TEST(RunSnapshot, NamesTheFirstTensorThatIsNotFinite) {
  Replica replica(make_config(1), at::kCPU, {});
  const auto snapshot = make_snapshot(replica.state(), make_facts(), {});
  EXPECT_EQ(first_nonfinite(snapshot), "");
  snapshot.files.at("generator").at("conv_blocks.0.running_mean")[3] = NAN;
  EXPECT_EQ(first_nonfinite(snapshot), "generator: conv_blocks.0.running_mean");
}

TEST(RunSnapshot, KeepsHowOftenLabelsCome) {
  Replica replica(make_config(1), at::kCPU, {});
  RunFacts facts = make_facts();
  facts.label_count = 2;
  EXPECT_TRUE(facts_of(make_snapshot(replica.state(), facts, {})).label_probabilities.empty());
  facts.label_probabilities = {0.75, 0.25};
  EXPECT_EQ(facts_of(make_snapshot(replica.state(), facts, {})).label_probabilities,
            facts.label_probabilities);
}

TEST(RunSnapshot, WithoutItsFactsIsRefused) {
  Replica replica(make_config(1), at::kCPU, {});
  auto snapshot = make_snapshot(replica.state(), make_facts(), {});
  snapshot.state.erase("facts");
  expect_error(ExitCode::kData, "no valid facts",
               [&] { restore(replica, make_facts(), snapshot); });
}

}  // namespace
}  // namespace ganscale::training
