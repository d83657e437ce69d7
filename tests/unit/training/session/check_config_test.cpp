#include "training/session/check_config.h"

#include <functional>
#include <memory>

#include "comm/backends/thread_group.h"
#include "support/temporary_folder.h"
#include "unit/training/fake_dataset.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

void check_text(const std::string& yaml, int world_size) { check_config(parse(yaml), world_size); }

void expect_unfit(const std::string& message, const std::string& yaml, int world_size) {
  expect_error(ExitCode::kConfig, message, [&] { check_text(yaml, world_size); });
}

TEST(CheckConfig, TakesWhatTheRanksCanShare) {
  EXPECT_NO_THROW(check_text("training: {batch: 64}\n", 64));
  EXPECT_NO_THROW(
      check_text("scheme: {name: asynchronous, ratio: 1:3}\ntraining: {batch: 12}\n", 4));
}

TEST(CheckConfig, RefusesRanksThatTheSchemeRefuses) {
  expect_unfit("run.yaml:1: training.batch: must be divisible by the number of ranks: 64 on 48",
               "training: {batch: 64}\n", 48);
  expect_unfit("scheme.ratio: its sum must divide the number of ranks",
               "scheme: {name: asynchronous, ratio: 1:3}\n", 6);
  expect_unfit("3 ranks, 2 labels", "scheme: {name: per_label, labels: [0, 1]}\n", 3);
}

// Groups of four of a rank's images, which has six.
TEST(CheckConfig, RefusesRanksThatCannotShareStatistics) {
  const std::string model = "model: {name: stylegan2, mbstd: local, mbstd_group: 4}\n";
  EXPECT_NO_THROW(check_text(model + "training: {batch: 12}\n", 3));
  expect_unfit("model.mbstd_group", model + "training: {batch: 18}\n", 3);
  expect_unfit("model.mbstd_group",
               model + "training: {batch: 12}\nscheme: {name: asynchronous, ratio: 1:2}\n", 3 * 2);
}

TEST(CheckConfig, RefusesAWorldThatIsNotTheExpectedOne) {
  expect_unfit("comm.expected_world_size expects 8 ranks, but this world has 4",
               "comm: {expected_world_size: 8}\n", 4);
  expect_unfit("comm.backend is single", "comm: {backend: single}\n", 2);
  EXPECT_NO_THROW(check_text("comm: {backend: single}\n", 1));
}

TEST(CheckConfig, RefusesMetricsPerLabelWithoutLabels) {
  const std::string metrics = "evaluate: {metrics: [pr10k_by_label], feature_net: net.pt}\n";
  expect_unfit("run.yaml:1: evaluate.metrics: comparing images within each label", metrics, 1);
  EXPECT_NO_THROW(check_text(metrics + "model: {name: conditional_dcgan}\n", 1));
  EXPECT_NO_THROW(check_text(metrics + "scheme: {name: per_label}\n", 1));
}

TEST(CheckConfig, RefusesMetricsWithoutTheirNetworks) {
  expect_unfit("run.yaml:1: evaluate.metrics: fid50k needs a network, but evaluate.feature_net",
               "evaluate: {metrics: [eqr50k, fid50k], perceptual_net: v.pt}\n", 1);
  expect_unfit("ppl50k_zend needs a network, but evaluate.perceptual_net is not set",
               "evaluate: {metrics: [ppl50k_zend], feature_net: net.pt}\n", 1);
  EXPECT_NO_THROW(check_text("evaluate: {metrics: [ppl50k_zend], perceptual_net: v.pt}\n", 1));
}

TEST(CheckConfig, RefusesWeightsThatAreNoFolder) {
  const TemporaryFolder folder;
  const std::string file = folder.write("ffhq.pkl", "weights");
  for (const std::string& from : {file, std::string("https://weights.example/ffhq.pkl")}) {
    expect_unfit(
        "training.resume_weights: a file or URL is not the folder of a run; make a run of "
        "it first: ganscale import --from FILE --run DIR: " +
            from,
        "training: {resume_weights: '" + from + "'}\n", 1);
  }
  EXPECT_NO_THROW(check_text("training: {resume_weights: runs/r1}\n", 1));
}

TEST(CheckConfig, KnowsTheParametersOfTheNetworks) {
  const std::string freeze = "discriminator: {freeze: [blocks.7]}\n";
  expect_unfit("run.yaml:1: discriminator.freeze: no parameter's name begins with: blocks.7",
               freeze, 1);
  expect_unfit("discriminator.freeze", freeze + "model: {name: conditional_dcgan}\n", 1);
  const std::string unpenalized = "discriminator: {unpenalized: [blocks.7], r1_gamma: ";
  expect_unfit("run.yaml:1: discriminator.unpenalized: no parameter's name begins with: blocks.7",
               unpenalized + "1}\n", 1);
  EXPECT_NO_THROW(check_text(unpenalized + "0}\n", 1)) << "nothing is penalized";
}

TEST(CheckConfig, KnowsWhichDiscriminatorsJoinBatches) {
  const std::string joined = "discriminator: {joined_batches: true}\n";
  expect_unfit(
      "run.yaml:1: discriminator.joined_batches: the discriminator of dcgan scores one batch",
      joined, 1);
  const std::string small =
      "model: {name: stylegan2, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: 8}\n";
  EXPECT_NO_THROW(check_text(joined + small, 1));
}

TEST(RequireSameConfig, NamesTheRankAndTheKeyOfAnotherConfiguration) {
  comm::run_ranks(3, [](comm::Group& group) {
    const std::string yaml = group.rank() == 2 ? "training: {batch: 32}\n" : "";
    expect_error(ExitCode::kConfig, "From rank 0 to rank 2: training.batch: 64 -> 32",
                 [&] { require_same_config(group, parse(yaml).resolved); });
  });
}

TEST(RequireSameConfig, LetsEachMachineHaveItsPaths) {
  comm::run_ranks(2, [](comm::Group& group) {
    const std::string own = std::to_string(group.rank());
    const std::string yaml = "data: {path: /scratch/" + own + "}\ntelemetry: {metrics_port: 900" +
                             own + "}\nevaluate: {feature_net: net" + own + ".pt}\n";
    EXPECT_NO_THROW(require_same_config(group, parse(yaml).resolved));
  });
}

using MakeSource = std::function<std::unique_ptr<data::FakeSource>()>;

MakeSource of_records(std::int64_t records, std::int64_t labels = 0) {
  return [=] { return std::make_unique<data::FakeSource>(records, labels); };
}

MakeSource of_names(const std::vector<std::string>& names) {
  return [=] {
    auto source = std::make_unique<data::FakeSource>(8, static_cast<std::int64_t>(names.size()));
    source->names = names;
    return source;
  };
}

/// Has rank 1 of three find another dataset than the others.
void expect_other_dataset(const std::string& message, const MakeSource& source,
                          const MakeSource& other) {
  comm::run_ranks(3, [&](comm::Group& group) {
    const Dataset dataset = fake_dataset(group.rank() == 1 ? other() : source());
    expect_error(ExitCode::kData, "From rank 0 to rank 1: " + message,
                 [&] { require_same_dataset(group, {}, dataset); });
  });
}

TEST(RequireSameDataset, NamesTheRankAndWhatIsDifferent) {
  expect_other_dataset("records: 8 -> 7", of_records(8), of_records(7));
  expect_other_dataset("labels: 2 -> 0", of_records(8, 2), of_records(8));
  expect_other_dataset("names of labels: 2 -> 0", of_names({"cat", "dog"}), of_records(8, 2));
  expect_other_dataset("label 1: dog -> owl", of_names({"cat", "dog"}), of_names({"cat", "owl"}));
}

TEST(RequireSameDataset, ComparesChannels) {
  comm::run_ranks(2, [](comm::Group& group) {
    Dataset dataset = fake_dataset(std::make_unique<data::FakeSource>(8));
    dataset.policy.channels = group.rank() == 0 ? 3 : 1;
    expect_error(ExitCode::kData, "From rank 0 to rank 1: channels: 3 -> 1",
                 [&] { require_same_dataset(group, {}, dataset); });
  });
}

TEST(RequireSameDataset, AcceptsTheSameData) {
  const auto names = of_names({"cat", "a\xFF"});
  comm::run_ranks(2, [&](comm::Group& group) {
    EXPECT_NO_THROW(require_same_dataset(group, {}, fake_dataset(names())));
  });
  EXPECT_NO_THROW(require_same_dataset(*comm::make_single_group(), {}, fake_dataset(names())));
}

TEST(RequireSameDataset, DoesNotCompareLabelsThatAreIgnored) {
  data::DataConfig config;
  config.labels = data::Labels::kIgnore;
  comm::run_ranks(2, [&](comm::Group& group) {
    const auto source = group.rank() == 0 ? of_names({"cat", "dog"}) : of_records(8);
    EXPECT_NO_THROW(require_same_dataset(group, config, fake_dataset(source())));
  });
}

}  // namespace
}  // namespace ganscale::training
