// The verbs on a run of scheme per_label, two ranks under mpirun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace ganscale {
namespace {

constexpr int kImages = 48;
constexpr int kExtent = 32;
constexpr int kLabels = 3;

void write_big_endian(std::ostream& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out.put(static_cast<char>(number >> shift));
}

/// Writes images of one gray level each, brighter from label to label, in MNIST's format.
void write_data(const TemporaryFolder& folder) {
  std::filesystem::create_directory(folder / "data");
  std::ofstream images(folder / "data/train-images-idx3-ubyte", std::ios::binary);
  for (const std::uint32_t number : {0x00000803, kImages, kExtent, kExtent}) {
    write_big_endian(images, number);
  }
  std::ofstream labels(folder / "data/train-labels-idx1-ubyte", std::ios::binary);
  for (const std::uint32_t number : {0x00000801, kImages}) write_big_endian(labels, number);
  for (int i = 0; i < kImages; ++i) {
    labels.put(static_cast<char>(i % kLabels));
    const std::string pixels(kExtent * kExtent, static_cast<char>(40 + 80 * (i % kLabels)));
    images << pixels;
  }
}

class Labels : public testing::Test {
 protected:
  Labels() { write_data(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Runs the program on this many ranks; fails the test if it fails.
  std::string ganscale(int ranks, const std::string& arguments) const {
    const auto launcher = std::string(LAUNCHER) +
                          " --allow-run-as-root --oversubscribe --bind-to none -n " +
                          std::to_string(ranks) + " ";
    const auto result = run_program((ranks > 1 ? launcher : "") + PROGRAM " " + arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.output;
    return result.output;
  }

  nlohmann::json evaluate(int ranks, const std::string& generator) const {
    ganscale(ranks, "evaluate " + generator + " --metrics fid40,is40,fid40_by_label" +
                        " --feature-net " + path("net.pt") + " --set evaluate.splits=2" +
                        " --set evaluate.cache=" + path("cache") + " --out " + path("out.json"));
    return nlohmann::json::parse(std::ifstream(folder_ / "out.json"));
  }

  const TemporaryFolder folder_;
};

TEST_F(Labels, TrainOnTwoRanksAndServeEveryVerbAsOneGenerator) {
  const auto net = run_program("python3 " SCRIPT " " + path("net.pt"));
  if (net.exit_code == 77) GTEST_SKIP() << "python3 on the PATH has no torch";
  ASSERT_EQ(net.exit_code, 0) << net.output;
  setenv("GANSCALE_LEAVE_STATUS", "1", /*replace=*/1);  // as an operator does
  const auto output = ganscale(
      2, "train --run " + path("run") + " --set data.path=" + path("data") +
             " --set model.channels=0.25 --set scheme.name=per_label --set training.batch=8" +
             " --set training.total_kimg=0.048 --set training.samples_every_kimg=0" +
             " --set telemetry.metrics_port=-1 --set telemetry.control_port=0");
  EXPECT_THAT(output, testing::ContainsRegex("last status: .*\"state\":\"done\".*"
                                             "\"images_seen\":48,\"total_images\":48"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/labels/label-0002/checkpoints"));
  const auto table = nlohmann::json::parse(std::ifstream(folder_ / "run/labels.json"));
  ASSERT_EQ(table.size(), kLabels);
  for (const auto& label : table) EXPECT_EQ(label.at("state"), "done");

  const auto two = evaluate(2, "--run " + path("run"));
  const auto one = evaluate(1, "--run " + path("run"));
  EXPECT_EQ(two.at("fid40_labels").size(), kLabels);
  for (const char* name : {"fid40", "is40", "fid40_by_label"}) {
    const double value = one.at(name).get<double>();
    EXPECT_NEAR(two.at(name).get<double>(), value, 1e-6 * std::abs(value)) << name;
  }
  ganscale(1, "generate --run " + path("run") + " --seeds 0-5 --out " + path("grid.png"));
  ganscale(1, "generate --checkpoint " + path("run/bundle.safetensors") +
                  " --seeds 0-1 --labels 2 --out " + path("two.png"));
  ganscale(1, "report " + path("run"));
  ganscale(1,
           "export --format safetensors --run " + path("run") + " --out " + path("g.safetensors"));
  ganscale(1, "export --format torchscript --run " + path("run") + " --out " + path("g.pt"));
  std::filesystem::copy_file(folder_ / "run/bundle.safetensors", folder_ / "alone.safetensors");
  std::filesystem::remove(folder_ / "run/metrics.jsonl");
  std::filesystem::create_directory(folder_ / "run/metrics.jsonl");  // cannot be appended to
  for (const char* bundle : {"alone.safetensors", "run/bundle.safetensors"}) {
    EXPECT_EQ(evaluate(1, "--checkpoint " + path(bundle)).at("fid40"), one.at("fid40")) << bundle;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "metrics.jsonl"));
  ganscale(1, "generate --checkpoint " + path("alone.safetensors") +
                  " --seeds 0-5 --labels data --out " + path("data.png"));
  const auto compared =
      run_program("python3 " SCRIPT " " + path("g.pt") + " " + path("run/bundle.safetensors"));
  EXPECT_EQ(compared.exit_code, 0) << compared.output;
}

// Of eight images, fewer than three would have label 1 if all three labels were generated.
TEST_F(Labels, ThatAreNotTrainedNeedNoImagesOfAMetric) {
  const auto net = run_program("python3 " SCRIPT " " + path("net.pt"));
  if (net.exit_code == 77) GTEST_SKIP() << "python3 on the PATH has no torch";
  ganscale(1, "train --run " + path("run") + " --set data.path=" + path("data") +
                  " --set model.channels=0.25 --set scheme.name=per_label" +
                  " --set 'scheme.labels=[1]' --set training.batch=8" +
                  " --set training.total_kimg=0.048 --set training.samples_every_kimg=0" +
                  " --set telemetry.metrics_port=-1 --set telemetry.control_port=-1" +
                  " --set 'evaluate.metrics=[pr8k3_by_label]' --set evaluate.feature_net=" +
                  path("net.pt") + " --set evaluate.cache=" + path("cache"));
  const auto metrics = nlohmann::json::parse(std::ifstream(folder_ / "run/metrics.jsonl"));
  EXPECT_TRUE(metrics.at("pr8k3_recall_labels").at(1).is_number());
  ganscale(1, "evaluate --run " + path("run"));
}

TEST_F(Labels, OfAConditionalModelAreDrawnAsInTheData) {
  ganscale(
      1, "train --run " + path("run") + " --set data.path=" + path("data") +
             " --set model.name=conditional_dcgan --set model.channels=0.25 --set training.batch=8"
             " --set training.total_kimg=0.008 --set telemetry.metrics_port=-1"
             " --set telemetry.control_port=-1");
  ganscale(1,
           "generate --run " + path("run") + " --seeds 0-5 --labels data --out " + path("g.png"));
  const auto manifest = nlohmann::json::parse(
      std::ifstream(folder_ / "run/checkpoints/kimg-000000.008/manifest.json"));
  EXPECT_EQ(manifest.at("state").at("label_probabilities"),
            nlohmann::json(std::vector(kLabels, 1.0 / 3)));
}

TEST_F(Labels, ThatDifferAreFoundByTheTestOfVariability) {
  const auto output = ganscale(2, "data variability " + path("data"));
  EXPECT_THAT(output, testing::HasSubstr("inf"));  // no variance within a class
  EXPECT_THAT(output, testing::HasSubstr("at most 100.0% of a channel's variance"));
  EXPECT_THAT(output, testing::HasSubstr("(scheme per_label) is justified"));
}

}  // namespace
}  // namespace ganscale
