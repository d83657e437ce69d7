#include "training/evaluation/evaluator.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <mutex>

#include "comm/backends/thread_group.h"
#include "models/label_bundle.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "training/loop/evaluate_averages.h"
#include "unit/data/fake_source.h"
#include "unit/models/read_model.h"
#include "unit/training/write_feature_net.h"

namespace ganscale::training {
namespace {

constexpr int kClasses = 3;
constexpr std::int64_t kRecords = 120;

class EvaluatorTest : public testing::Test {
 protected:
  EvaluatorTest() {
    // Squares keep the features from being too similar.
    write_feature_net(folder_ / "net.pt",
                      "  z = torch.avg_pool2d((x / 64) * (x / 64), [32, 32]).flatten(1)\n"
                      "  return torch.cat([y, z], 1), y\n");
    config_.feature_net.file = folder_ / "net.pt";
    config_.cache = folder_ / "cache";
    config_.batch = 16;
    config_.splits = 2;
  }

  void measure_by(const std::vector<std::string>& names) {
    config_.metrics.clear();
    for (const auto& name : names) config_.metrics.push_back(metrics::parse_metric(name));
  }

  RealImages images() const {
    return {source_, {.channels = 1, .resolution = 32, .fit = data::Fit::kPad}};
  }

  static std::shared_ptr<models::Generator> generator(const std::string& name) {
    models::ModelConfig model = models::read_model("{name: " + name + ", channels: 0.125}");
    model.channels = 1;
    model.label_count = models::takes_labels(model) ? kClasses : 0;
    auto result = models::build_generator(model, /*seed=*/1, nullptr);
    result->eval();
    const at::NoGradGuard no_grad;
    named_parameters(*result).at("conv_blocks.9.weight").mul_(1000);  // first weights make gray
    return result;
  }

  metrics::Measurements evaluate(comm::Group& group, const std::string& model) {
    return Evaluator(config_, images(), at::kCPU, group).evaluate(*generator(model), 5);
  }

  const TemporaryFolder folder_;
  metrics::EvaluateConfig config_;
  data::FakeSource source_{kRecords, kClasses};
};

TEST_F(EvaluatorTest, GivesTheSameOnAnyNumberOfRanks) {
  measure_by({"fid100", "is90", "kid100", "pr100", "dc100", "fid100_by_label", "pr100_by_label"});
  const auto alone = comm::make_single_group();
  const auto expected = evaluate(*alone, "conditional_dcgan");
  EXPECT_EQ(expected.values.size(), 1 + 2 + 2 + 2 + 2 + 2 + 4);
  for (const auto& metric : config_.metrics) {
    for (const auto& name : metrics::value_names(metric))
      EXPECT_TRUE(expected.values.contains(name));
  }
  EXPECT_EQ(expected.by_label.at("fid100_labels").size(), kClasses);
  EXPECT_GT(expected.values.at("fid100"), 0.1);
  for (const int ranks : {2, 4}) {
    std::filesystem::remove_all(config_.cache);
    comm::run_ranks(ranks, [&](comm::Group& group) {
      const auto measured = evaluate(group, "conditional_dcgan");
      for (const auto& [name, value] : expected.values) {
        EXPECT_NEAR(measured.values.at(name), value, 1e-6 * std::abs(value)) << name;
      }
    });
  }
}

/// A generator whose layers add strong noise, with this value in all constant maps.
std::shared_ptr<models::Generator> noisy_generator(double constant_noise) {
  models::ModelConfig model = models::read_model(
      "{name: stylegan2, resolution: 32, z_dim: 8, w_dim: 8, mapping_layers: 2, "
      "channel_base: 256, channel_max: 16}");
  model.channels = 1;
  auto result = models::build_generator(model, /*seed=*/1, nullptr);
  result->eval();
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : named_state(*result)) {
    if (name.ends_with("noise_strength")) tensor.fill_(1);
    if (name.ends_with("noise_const")) tensor.fill_(constant_noise);
  }
  return result;
}

TEST_F(EvaluatorTest, DrawsTheNoiseOfEachImageOnAnyNumberOfRanks) {
  measure_by({"fid50"});
  const auto measure = [&](comm::Group& group, double constant_noise) {
    const auto noisy = noisy_generator(constant_noise);
    const auto measured = Evaluator(config_, images(), at::kCPU, group).evaluate(*noisy, 5);
    EXPECT_FALSE(noisy->is_training());
    return measured.values.at("fid50");
  };
  const auto alone = comm::make_single_group();
  const double expected = measure(*alone, 0);
  EXPECT_EQ(measure(*alone, 10), expected) << "the noise is constant";
  comm::run_ranks(
      2, [&](comm::Group& group) { EXPECT_NEAR(measure(group, 0), expected, 1e-3 * expected); });
}

std::shared_ptr<models::Generator> biggan_generator() {
  models::ModelConfig model = models::read_model("{name: biggan, generator_channels: 2}", kClasses);
  model.channels = 1;
  auto result = models::build_generator(model, /*seed=*/1, nullptr);
  result->eval();
  const at::NoGradGuard no_grad;
  named_parameters(*result).at("output_layer.0.gain").mul_(30);  // first weights make gray
  return result;
}

TEST_F(EvaluatorTest, TruncatesTheSameOnAnyNumberOfRanks) {
  measure_by({"fid50"});
  const auto measure = [&](comm::Group& group, models::Generator& generator,
                           const models::SampleTruncation& truncation) {
    Evaluator evaluator(config_, images(), at::kCPU, group);
    return evaluator.evaluate(generator, 5, truncation).values.at("fid50");
  };
  const auto expect_truncated = [&](const auto& make, const models::SampleTruncation& truncation) {
    const auto alone = comm::make_single_group();
    const double expected = measure(*alone, *make(), truncation);
    EXPECT_NE(measure(*alone, *make(), {}), expected);
    comm::run_ranks(2, [&](comm::Group& group) {
      EXPECT_NEAR(measure(group, *make(), truncation), expected, 1e-3 * expected);
    });
  };
  expect_truncated(biggan_generator, {.latent_threshold = 0.5});
  expect_truncated([] { return noisy_generator(0); }, {.styles = {.psi = 0.5}});
}

TEST_F(EvaluatorTest, MeasuresPathLengthsWithoutRealsAndAFeatureNetwork) {
  torch::jit::Module module("net");
  module.define("def forward(self, x):\n  return x.flatten(1) / 255\n");
  module.save((folder_ / "perceptual.pt").string());
  config_.perceptual_net.file = folder_ / "perceptual.pt";
  config_.feature_net.file.clear();
  source_.on_read = [](std::int64_t) { ADD_FAILURE() << "a real image was read"; };
  measure_by({"ppl20_zend", "ppl10_zfull"});
  const auto alone = comm::make_single_group();
  const auto expected = evaluate(*alone, "conditional_dcgan").values;
  EXPECT_EQ(expected.size(), 2U);
  EXPECT_GT(expected.at("ppl20_zend"), 0);
  comm::run_ranks(2, [&](comm::Group& group) {
    const auto measured = evaluate(group, "conditional_dcgan").values;
    for (const auto& [name, value] : expected) {
      EXPECT_NEAR(measured.at(name), value, 1e-2 * value) << name;
    }
  });
  measure_by({"ppl20_wend"});
  expect_error(ExitCode::kConfig, "paths between styles need a generator with styles",
               [&] { evaluate(*alone, "dcgan"); });
}

TEST_F(EvaluatorTest, RefusesRanksWithDifferentNetworks) {
  write_feature_net(folder_ / "other.pt");
  write_feature_net(folder_ / "other_vgg.pt", "  return y * y\n");
  write_feature_net(folder_ / "vgg.pt", "  return y\n");
  for (const char* name : {"net", "vgg"})
    std::filesystem::copy_file(folder_ / (std::string(name) + ".pt"),
                               folder_ / (std::string("same_") + name + ".pt"));
  measure_by({"fid50", "ppl20_zend"});
  comm::run_ranks(2, [&](comm::Group& group) {
    const auto open_with = [&](const char* feature_net, const char* perceptual_net) {
      metrics::EvaluateConfig config = config_;
      const bool is_other = group.rank() == 1;
      config.feature_net.file = folder_ / (is_other ? feature_net : "net.pt");
      config.perceptual_net.file = folder_ / (is_other ? perceptual_net : "vgg.pt");
      Evaluator(config, images(), at::kCPU, group);
    };
    const std::string reason = ": the ranks have different networks; give all machines the same";
    expect_error(ExitCode::kConfig, "evaluate.feature_net" + reason,
                 [&] { open_with("other.pt", "vgg.pt"); });
    expect_error(ExitCode::kConfig, "evaluate.perceptual_net" + reason,
                 [&] { open_with("net.pt", "other_vgg.pt"); });
    expect_error(ExitCode::kConfig, ", rank 1 has ", [&] { open_with("other.pt", "vgg.pt"); });
    EXPECT_NO_THROW(open_with("same_net.pt", "same_vgg.pt"));
  });
}

TEST_F(EvaluatorTest, LeavesOutLabelsWithoutAGenerator) {
  measure_by({"fid100", "fid100_by_label"});
  models::LabelBundle bundle({{0, generator("dcgan")}, {2, generator("dcgan")}}, kClasses);
  const auto group = comm::make_single_group();
  const auto measured = Evaluator(config_, images(), at::kCPU, *group).evaluate(bundle, 5);
  const auto& distances = measured.by_label.at("fid100_labels");
  EXPECT_TRUE(std::isfinite(distances[0]));
  EXPECT_TRUE(std::isnan(distances[1]));
  EXPECT_TRUE(std::isfinite(distances[2]));
}

TEST_F(EvaluatorTest, MeasuresOtherAveragesWithinEachLabelToo) {
  measure_by({"fid100_by_label"});
  const auto group = comm::make_single_group();
  Evaluator evaluator(config_, images(), at::kCPU, *group);
  const auto average = generator("conditional_dcgan");
  const auto measured =
      evaluate_averages(evaluator, *average, 10, {{.kimg = 2, .generator = average}}, 5);
  EXPECT_EQ(measured.values.at("fid100_by_label_ema_2"), measured.values.at("fid100_by_label"));
  EXPECT_EQ(measured.by_label.at("fid100_labels_ema_2"), measured.by_label.at("fid100_labels"));
}

TEST_F(EvaluatorTest, SaysHowOftenLabelsAreGenerated) {
  measure_by({"fid50"});
  const auto group = comm::make_single_group();
  EXPECT_EQ(evaluate(*group, "dcgan").label_shares, "");
  const auto as_data = evaluate(*group, "conditional_dcgan");
  EXPECT_EQ(as_data.label_shares, "data");
  config_.labels = metrics::LabelShares::kBalanced;
  const auto balanced = evaluate(*group, "conditional_dcgan");
  EXPECT_EQ(balanced.label_shares, "balanced");
}

TEST_F(EvaluatorTest, RefusesFewerImagesOfALabelThanNeighbors) {
  const auto group = comm::make_single_group();
  const auto open = [&] { Evaluator(config_, images(), at::kCPU, *group); };
  measure_by({"pr1k40_by_label"});
  expect_error(ExitCode::kConfig,
               "evaluate.metrics: pr1k40_by_label needs 41 real and as many generated images of "
               "each label; label 0 has 40 and about 333",
               open);
  measure_by({"pr9_by_label"});
  expect_error(ExitCode::kConfig, "label 0 has 40 and about 3", open);
  EXPECT_NO_THROW(Evaluator(config_, images(), at::kCPU, *group, {0, 2})) << "4 of each of two";
}

TEST_F(EvaluatorTest, ExtractsTheRealImagesOnce) {
  measure_by({"fid50", "kid50"});
  std::atomic<int> reads = 0;
  source_.on_read = [&](std::int64_t) { ++reads; };
  const auto group = comm::make_single_group();
  Evaluator evaluator(config_, images(), at::kCPU, *group);
  const auto first = evaluator.evaluate(*generator("dcgan"), 5);
  EXPECT_EQ(reads, 2 * kRecords);  // for the digest, then for the network
  evaluator.evaluate(*generator("dcgan"), 5);
  EXPECT_EQ(reads, 2 * kRecords);
  EXPECT_EQ(evaluate(*group, "dcgan").values, first.values);
  EXPECT_EQ(reads, 3 * kRecords);  // another program finds the file
}

TEST_F(EvaluatorTest, KeepsOtherDataInAnotherFile) {
  measure_by({"fid50"});
  const auto group = comm::make_single_group();
  evaluate(*group, "dcgan");
  const data::FakeSource other(kRecords - 1, kClasses);
  Evaluator(config_, {other, images().policy}, at::kCPU, *group).evaluate(*generator("dcgan"), 5);
  const auto files = std::filesystem::directory_iterator(config_.cache);
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

TEST_F(EvaluatorTest, ReplacesADamagedFile) {
  measure_by({"fid50"});
  const auto group = comm::make_single_group();
  const auto expected = evaluate(*group, "dcgan").values;
  const auto file = std::filesystem::directory_iterator(config_.cache)->path();
  std::filesystem::resize_file(file, 100);
  EXPECT_EQ(evaluate(*group, "dcgan").values, expected);
  EXPECT_GT(std::filesystem::file_size(file), 100);
}

// What a process of the same number, of another machine, might leave.
TEST_F(EvaluatorTest, SharesItsFolderWithAProcessOfTheSameNumber) {
  measure_by({"fid50"});
  const auto group = comm::make_single_group();
  evaluate(*group, "dcgan");
  const auto file = std::filesystem::directory_iterator(config_.cache)->path();
  std::filesystem::remove(file);
  std::filesystem::create_directory(file.string() + "." + std::to_string(::getpid()) + ".tmp");
  evaluate(*group, "dcgan");
  EXPECT_TRUE(std::filesystem::is_regular_file(file));
}

TEST_F(EvaluatorTest, ContinuesIfNothingCanBeCached) {
  measure_by({"fid50"});
  const auto group = comm::make_single_group();
  const auto expected = evaluate(*group, "dcgan").values;
  config_.cache = "/proc/none";
  EXPECT_EQ(evaluate(*group, "dcgan").values, expected);
}

TEST_F(EvaluatorTest, MayWriteTheSameFileInSeveralRunsAtOnce) {
  measure_by({"fid50"});
  std::mutex mutex;
  std::vector<double> values;
  comm::run_ranks(4, [&](comm::Group&) {
    const auto alone = comm::make_single_group();
    const auto measured = evaluate(*alone, "dcgan");
    const std::scoped_lock lock(mutex);
    values.push_back(measured.values.at("fid50"));
  });
  EXPECT_THAT(values, testing::Each(values.front()));
}

TEST_F(EvaluatorTest, SaysBeforeTrainingWhatItCannotMeasure) {
  const auto group = comm::make_single_group();
  const auto open = [&] { Evaluator(config_, images(), at::kCPU, *group); };
  measure_by({"is10"});
  config_.splits = 20;
  config_.metrics_location = {"run.yaml", 7};
  expect_error(ExitCode::kConfig,
               "run.yaml:7: too few images for the inception score: 10 in 20 splits", open);
  config_.feature_net.file = folder_ / "missing.pt";
  expect_error(ExitCode::kConfig, "evaluate.feature_net does not exist", open);
}

TEST_F(EvaluatorTest, RefusesTooFewImagesAndImagesWithoutLabels) {
  const auto group = comm::make_single_group();
  const auto open = [&] { Evaluator(config_, images(), at::kCPU, *group); };
  measure_by({"pr3"});
  config_.metrics_location = {"run.yaml", 7};
  expect_error(ExitCode::kConfig,
               "run.yaml:7: evaluate.metrics: pr3 needs 4 real and as many generated images", open);
  measure_by({"dc1k120"});
  expect_error(ExitCode::kConfig, "there are 120 real and 1000 generated images", open);
  measure_by({"fid50_by_label"});
  source_.on_read = [](std::int64_t) { ADD_FAILURE() << "an image was read before the refusal"; };
  expect_error(ExitCode::kConfig,
               "run.yaml:7: evaluate.metrics: comparing images within each label",
               [&] { evaluate(*group, "dcgan"); });
}

TEST_F(EvaluatorTest, NamesTheImageThatTheNetworkGivesNanFor) {
  // The images that a network is validated with start with 0, 1.
  torch::jit::Module module("net");
  module.define(
      "def forward(self, x):\n"
      "  y = torch.avg_pool2d(x, [16, 16]).flatten(1)\n"
      "  known = (x[:, 0, 0, 1] == 1).unsqueeze(1)\n"
      "  return torch.where(known, y, torch.full_like(y, float('nan'))), y\n");
  module.save(config_.feature_net.file.string());
  const auto group = comm::make_single_group();
  measure_by({"kid50"});
  expect_error(ExitCode::kData, "NaN or infinity for a real image: fake, record 0",
               [&] { evaluate(*group, "dcgan"); });
  measure_by({"is50"});
  expect_error(ExitCode::kData, "NaN or infinity for a generated image: number 0",
               [&] { evaluate(*group, "dcgan"); });
}

TEST_F(EvaluatorTest, RunsNvidiasNetworkForNoOutputThatNoMetricNeeds) {
  // The images that a network is validated with start with 0, 1.
  torch::jit::Module module("net");
  module.define(
      "def forward(self, img, return_features: bool=False, no_output_bias: bool=False):\n"
      "  y = torch.avg_pool2d(img[:, :1].float() / 64, [16, 16]).flatten(1)\n"
      "  if return_features:\n"
      "    return y\n"
      "  known = (img[:, 0, 0, 1] == 1).unsqueeze(1)\n"
      "  return torch.where(known, torch.softmax(y, 1), torch.full_like(y, float('nan')))\n");
  module.save(config_.feature_net.file.string());
  const auto group = comm::make_single_group();
  measure_by({"fid50"});
  EXPECT_TRUE(std::isfinite(evaluate(*group, "dcgan").values.at("fid50")));
  measure_by({"fid50", "is50"});
  expect_error(ExitCode::kData, "NaN or infinity for a generated image: number 0",
               [&] { evaluate(*group, "dcgan"); });
}

TEST_F(EvaluatorTest, NamesTheImageThatTheGeneratorGivesNanFor) {
  const auto group = comm::make_single_group();
  measure_by({"is50"});
  Evaluator evaluator(config_, images(), at::kCPU, *group);
  const auto broken = generator("dcgan");
  {
    const at::NoGradGuard no_grad;
    named_parameters(*broken).at("conv_blocks.9.weight").fill_(std::nan(""));
  }
  expect_error(ExitCode::kData, "the generator returned NaN or infinity for an image: number 0",
               [&] { evaluator.evaluate(*broken, 5); });
}

TEST_F(EvaluatorTest, NamesARealImageThatIsDamaged) {
  source_.undecodable = {7};
  auto strict = images();
  strict.policy.fit = data::Fit::kRefuse;
  strict.policy.resolution = 2;
  expect_error(ExitCode::kData, "fake, record 7", [&] { decode_records(strict, {6, 7}); });
}

}  // namespace
}  // namespace ganscale::training
