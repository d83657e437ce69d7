#include "training/schemes/schemes.h"

#include "models/model_table.h"
#include "support/expect_error.h"
#include "unit/data/fake_source.h"
#include "unit/training/parse_text.h"
#include "wire/scheme.h"

namespace ganscale::training {
namespace {

void check_ranks(const RunConfig& config, int world_size) {
  config.scheme.chosen->check_ranks(config, world_size);
}

TEST(Schemes, DefaultToTheFirst) { EXPECT_EQ(parse("").scheme.name, schemes().front().name); }

TEST(Schemes, MatchTheTableThatTheOperatorReads) {
  ASSERT_EQ(schemes().size(), wire::kSchemes.size());
  for (std::size_t i = 0; i < schemes().size(); ++i) {
    const std::string& name = schemes()[i].name;
    EXPECT_EQ(name, wire::kSchemes[i].name);
    EXPECT_EQ(parse("scheme: {name: " + name + "}\n").scheme.chosen->makes_labels(),
              wire::kSchemes[i].sharing == wire::Sharing::kLabels);
  }
}

TEST(Schemes, AreRefusedIfNotInTheTable) {
  expect_refused("run.yaml:1: scheme.name: expected one of", "scheme: {name: horovod}\n");
}

// config.yaml holds them all.
TEST(Schemes, TakeTheKeysOfOtherSchemes) {
  EXPECT_THAT(parse("scheme: {name: synchronous, attempts: 3}\n").resolved,
              testing::HasSubstr("attempts: 3"));
  expect_refused("run.yaml:1: scheme.attempts: must be positive", "scheme: {attempts: 0}\n");
}

// As docs/paragan.md says.
TEST(Schemes, TakeEveryModelButPerLabelThoseWithLabels) {
  for (const models::Model& model : models::model_table()) {
    const std::string head = "model: {name: " + std::string(model.name) + "}\n";
    const RunConfig config = parse(head + "scheme: {name: synchronous}\n");
    EXPECT_NO_THROW(parse(head + "scheme: {name: asynchronous}\n")) << model.name;
    const std::string per_label = head + "scheme: {name: per_label}\n";
    if (models::takes_labels(config.model)) {
      expect_refused("run.yaml:1: model.name: scheme per_label", per_label);
    } else {
      EXPECT_NO_THROW(parse(per_label)) << model.name;
    }
  }
}

TEST(SchemeSynchronous, RefusesABatchThatTheRanksCannotShare) {
  const RunConfig config = parse("training: {batch: 64}\n");
  EXPECT_NO_THROW(check_ranks(config, 4));
  expect_error(
      ExitCode::kConfig,
      "run.yaml:1: training.batch: must be divisible by the number of ranks: 64 on 3 ranks",
      [&] { check_ranks(config, 3); });
  expect_error(ExitCode::kConfig, "run.yaml:2: training.batch: must be divisible",
               [&] { check_ranks(parse("data: {path: x}\ntraining: {seed: 1}\n"), 3); });
}

TEST(SchemeAsynchronous, RefusesImpossibleValues) {
  const std::string head = "scheme: {name: asynchronous, ";
  expect_refused("run.yaml:1: scheme.ratio: expected two positive numbers, such as 1:3: 1:0",
                 head + "ratio: \"1:0\"}\n");
  expect_refused("run.yaml:1: scheme.max_staleness: must be 0 to 64: -1",
                 head + "max_staleness: -1}\n");
  expect_refused("run.yaml:1: scheme.max_staleness: must be 0 to 64: 65",
                 head + "max_staleness: 65}\n");
}

TEST(SchemeAsynchronous, RefusesWhatARoleCannotDo) {
  const std::string head = "scheme: {name: asynchronous}\n";
  expect_refused("run.yaml:2: training.cuda_graphs: scheme asynchronous",
                 head + "training: {cuda_graphs: true}\n");
  expect_refused("run.yaml:2: training.devices_per_process: 2 requires scheme per_label",
                 head + "training: {devices_per_process: 2}\n");
}

TEST(SchemeAsynchronous, RefusesRanksThatItsRatioDoesNotDivide) {
  const RunConfig config = parse(
      "training: {batch: 12}\n"
      "scheme:\n"
      "  name: asynchronous\n"
      "  ratio: 1:3\n");
  EXPECT_NO_THROW(check_ranks(config, 8));
  expect_error(ExitCode::kConfig,
               "run.yaml:4: scheme.ratio: its sum must divide the number of ranks (two for one "
               "process): 1:3 on 6 ranks",
               [&] { check_ranks(config, 6); });
  expect_error(
      ExitCode::kConfig,
      "run.yaml:1: training.batch: must be divisible by the ranks of the discriminator: 12 on 9",
      [&] { check_ranks(config, 12); });
}

TEST(SchemeAsynchronous, RefusesABatchThatThePassesOfARoleCannotShare) {
  const data::FakeSource source(/*record_count=*/100);
  const RunConfig config =
      parse("scheme: {name: asynchronous}\ntraining: {batch: 12, accumulate: 3}\n");
  EXPECT_NO_THROW(check_ranks(config, 8));
  expect_error(ExitCode::kConfig,
               "run.yaml:2: training.batch: must be divisible by the ranks of the generator times "
               "training.accumulate, 3: 12 on 3 ranks",
               [&] { check_ranks(config, 6); });
}

TEST(SchemeAsynchronous, HasBothRolesInAProcessThatIsAlone) {
  const data::FakeSource source(/*record_count=*/100);
  const std::string head = "scheme: {name: asynchronous}\n";
  EXPECT_EQ(parse(head).scheme.chosen->ranks_of_lone_process(), 2);
  EXPECT_NO_THROW(check_ranks(parse(head), 1));
  expect_error(ExitCode::kConfig, "run.yaml:1: scheme.ratio: its sum must divide",
               [&] { check_ranks(parse("scheme: {name: asynchronous, ratio: \"1:2\"}\n"), 1); });
  const RunConfig profiled = parse(head + "profile: {steps: 3}\n");
  EXPECT_NO_THROW(check_ranks(profiled, 2));
  expect_error(ExitCode::kConfig, "run.yaml:2: profile.steps: a process can record one role only",
               [&] { check_ranks(profiled, 1); });
}

/// Each of two ranks of the discriminator has two batches of 32 images of 32 x 32 floats: of one
/// channel 256 KiB, of three 768 KiB.
RunConfig of_buffer_limit(const std::string& limit, const std::string& channels) {
  return parse("training: {batch: 64}\nscheme: {name: asynchronous, buffer_limit: " + limit +
               "}\ndata: {channels: " + channels + "}\n");
}

TEST(SchemeAsynchronous, RefusesABufferThatNeedsMoreMemory) {
  EXPECT_NO_THROW(check_ranks(of_buffer_limit("768KiB", "rgb"), 4));
  expect_error(ExitCode::kConfig,
               "run.yaml:2: scheme.buffer_limit: the image buffer of a rank takes 786432 bytes "
               "(scheme.max_staleness + 1 batches): 786431",
               [&] { check_ranks(of_buffer_limit("786431", "rgb"), 4); });
  EXPECT_NO_THROW(check_ranks(of_buffer_limit("256KiB", "gray"), 4));
  for (const char* channels : {"gray", "keep"}) {
    expect_error(ExitCode::kConfig, "the image buffer of a rank takes 262144 bytes",
                 [&] { check_ranks(of_buffer_limit("262143", channels), 4); });
  }
}

TEST(SchemeAsynchronous, RefusesABufferByTheChannelsOfTheData) {
  const data::FakeSource source(/*record_count=*/100);
  RunConfig config = of_buffer_limit("256KiB", "keep");
  const auto check = [&](int channels) {
    config.model.channels = channels;  // as the dataset has, once it is open
    check_ranks(config, 4);
    config.scheme.chosen->check_data(config, source, 4);
  };
  EXPECT_NO_THROW(check(1));
  expect_error(ExitCode::kConfig, "the image buffer of a rank takes 786432 bytes",
               [&] { check(3); });
}

TEST(SchemePerLabel, RefusesEvaluationsDuringTraining) {
  const std::string head = "scheme: {name: per_label}\n";
  parse(head + "evaluate: {metrics: [fid10k]}\n");
  expect_refused("evaluate.every_kimg: scheme per_label evaluates all labels together",
                 head + "evaluate: {metrics: [fid10k], every_kimg: 5}\n");
  expect_refused("generator.other_ema_kimg: scheme per_label keeps one average",
                 head + "generator: {other_ema_kimg: [2]}\n");
  expect_refused("checkpoint.keep_best: scheme per_label",
                 head + "evaluate: {metrics: [fid10k]}\ncheckpoint: {keep_best: fid10k}\n");
}

TEST(SchemePerLabel, RequiresLabelsAndAnUnconditionalModel) {
  expect_refused("run.yaml:2: model.name: scheme per_label gives each label a generator",
                 "scheme: {name: per_label}\nmodel: {name: conditional_dcgan}\n");
  expect_refused("run.yaml:2: data.labels: scheme per_label needs labels",
                 "scheme: {name: per_label}\ndata: {labels: ignore}\n");
}

TEST(SchemePerLabel, RefusesMoreRanksThanTheLabelsThatItNames) {
  const RunConfig config = parse("scheme: {name: per_label, labels: [3, 5, 5]}\n");
  EXPECT_NO_THROW(check_ranks(config, 2));
  expect_error(ExitCode::kConfig, "3 ranks, 2 labels", [&] { check_ranks(config, 3); });
  EXPECT_NO_THROW(check_ranks(parse("scheme: {name: per_label}\n"), 3));
}

TEST(SchemePerLabel, RefusesDataOfWhichTheRanksCannotEachHaveALabel) {
  const RunConfig config = parse("scheme: {name: per_label}\ntraining: {batch: 2}\n");
  const data::FakeSource source(/*record_count=*/8, /*label_count=*/2);
  EXPECT_NO_THROW(config.scheme.chosen->check_data(config, source, 2));
  expect_error(ExitCode::kConfig, "3 ranks, 2 labels",
               [&] { config.scheme.chosen->check_data(config, source, 3); });
}

}  // namespace
}  // namespace ganscale::training
