#include "training/generators/label_bundle_file.h"

#include <ATen/ATen.h>

#include "checkpoint/safetensors.h"
#include "checkpoint/write_checkpoint.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "training/replica/run_snapshot.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

const std::string kBundleYaml = "model: {z_dim: 2, channels: 0.125}\nscheme: {name: per_label}\n";

/// A run of three labels of 6, 4 and 2 records, of which the second one failed. The weights of a
/// label's generator are all the label's number.
class LabelBundleFiles : public testing::Test {
 protected:
  LabelBundleFiles() {
    config_ = parse(kBundleYaml);
    config_.model.channels = 1;
    for (const std::int64_t label : {0, 1, 2}) {
      LabelState state;
      state.label = label;
      state.records = kRecords[static_cast<std::size_t>(label)];
      state.state = label == 1 ? wire::LabelStage::kFailed : wire::LabelStage::kDone;
      state.images_seen = 100 * state.records;
      states_.push_back(state);
      if (state.is_trained()) write_generator(label);
    }
  }

  void write_generator(std::int64_t label) const {
    Replica replica(config_, at::kCPU, {});
    const at::NoGradGuard no_grad;
    for (auto& parameter : replica.generator_ema().parameters()) {
      parameter.fill_(static_cast<double>(label));
    }
    checkpoint::write_checkpoint(
        label_folder(run_, label),
        make_snapshot(replica.state(), {.model = "dcgan", .record_count = 1, .channels = 1}, {}));
  }

  LabelBundleFile write_and_read() const {
    run_.create();
    write_label_bundle(run_, config_, states_, kRecords);
    return read_label_bundle(run_.bundle());
  }

  /// Expects that a bundle with this metadata changed is refused.
  void expect_refusal(const std::string& message,
                      const std::function<void(checkpoint::Safetensors&)>& change) const {
    write_and_read();
    auto file = checkpoint::read_safetensors(run_.bundle());
    change(file);
    checkpoint::write_safetensors(run_.bundle(), file.tensors, file.metadata);
    expect_error(ExitCode::kData, message, [&] { read_label_bundle(run_.bundle()); });
  }

  static const std::vector<std::int64_t> kRecords;
  const TemporaryFolder folder_;
  const RunFolder run_{folder_ / "r1"};
  RunConfig config_;
  std::vector<LabelState> states_;
};

const std::vector<std::int64_t> LabelBundleFiles::kRecords = {6, 4, 2};

TEST_F(LabelBundleFiles, HoldTheProgressOfTheTrainedLabels) {
  const auto bundle = write_and_read();
  EXPECT_EQ(bundle.images_seen, 800);
  EXPECT_EQ(bundle.label_probabilities, (std::vector<double>{0.75, 0, 0.25}));
  EXPECT_EQ(bundle.config.model.channels, 1);
  EXPECT_EQ(bundle.generator->z_dim(), 2);
  EXPECT_EQ(bundle.generator->label_count(), 3);
}

TEST_F(LabelBundleFiles, ComputeInFloat32WhateverTheyWereTrainedIn) {
  const auto image = [&](const std::string& training) {
    config_ = parse(kBundleYaml + training);
    config_.model.channels = 1;
    const auto generator = write_and_read().generator;
    const at::NoGradGuard no_grad;
    for (auto& parameter : generator->parameters()) {
      const auto waves = at::arange(parameter.numel()).sin().mul(0.1).view_as(parameter);
      parameter.copy_(parameter.dim() > 1 ? waves : at::ones_like(parameter));
    }
    generator->eval();
    kernels::RandomStream random({}, Stream::kSamples);
    return generator->forward(at::ones({1, 2}), at::tensor({2}, at::kLong), random);
  };
  const auto expected = image("");
  EXPECT_GT(expected.std().item<double>(), 1e-3) << "all gray";
  EXPECT_TRUE(at::equal(image("training: {precision: bf16}\n"), expected));
}

TEST_F(LabelBundleFiles, GiveEachLabelItsOwnWeights) {
  const auto bundle = write_and_read();
  for (const auto& [name, tensor] : named_parameters(*bundle.generator)) {
    const double label = name.find("label_2") != std::string::npos ? 2 : 0;
    EXPECT_EQ(tensor.max().item<double>(), label) << name;
  }
}

TEST_F(LabelBundleFiles, ReplaceWhatIsNotUtf8InPaths) {
  config_ = parse(kBundleYaml + "data: {path: caf\xe9}\n");
  config_.model.channels = 1;
  EXPECT_EQ(write_and_read().config.data.path, "caf\uFFFD");
}

TEST_F(LabelBundleFiles, NeedACheckpointOfEachTrainedLabel) {
  std::filesystem::remove_all(label_folder(run_, 2));
  expect_error(ExitCode::kData, "a trained label has no checkpoint", [&] { write_and_read(); });
}

TEST_F(LabelBundleFiles, AreDistinguishedFromOtherFiles) {
  run_.create();
  checkpoint::write_safetensors(run_.bundle(), {{"a", at::ones({1})}});
  expect_error(ExitCode::kData, "not a bundle of labeled generators",
               [&] { read_label_bundle(run_.bundle()); });
}

TEST_F(LabelBundleFiles, AreRefusedWithoutTheirMetadata) {
  for (const char* key : {"channels", "label_probabilities", "images_seen"}) {
    expect_refusal(std::string("its metadata lacks ") + key,
                   [&](auto& file) { file.metadata.erase(key); });
    expect_refusal(std::string("its metadata lacks ") + key,
                   [&](auto& file) { file.metadata[key] = "?"; });
  }
  expect_refusal("the bundle's metadata lacks config",
                 [](auto& file) { file.metadata.erase("config"); });
}

TEST_F(LabelBundleFiles, AreRefusedWithoutTheirTensors) {
  expect_refusal("the bundle contains no generator", [](auto& file) { file.tensors.clear(); });
  expect_refusal("label 2 lacks a tensor: l1.0.weight",
                 [](auto& file) { file.tensors.erase("label_2.l1.0.weight"); });
}

}  // namespace
}  // namespace ganscale::training
