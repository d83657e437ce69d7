#include "training/generators/import_weights.h"

#include <ATen/Functions.h>

#include "checkpoint/reader.h"
#include "checkpoint/safetensors.h"
#include "models/build_model.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "training/generators/trained_generator.h"
#include "training/run/parse_run.h"

namespace ganscale::training {
namespace {

using Metadata = std::map<std::string, std::string>;

Metadata metadata() {
  return {{"kind", "stylegan2_weights"},
          {"resolution", "16"},
          {"channels", "1"},
          {"label_count", "3"},
          {"z_dim", "8"},
          {"w_dim", "8"},
          {"mapping_layers", "2"},
          {"channel_base", "128"},
          {"channel_max", "16"},
          {"discriminator", "skip"},
          {"mbstd_group", "2"},
          {"mbstd_features", "1"},
          {"conv_clamp", "0"},
          {"low_precision_resolutions", "0"}};
}

/// The configuration that the metadata tell.
RunConfig configuration() {
  RunConfig config = parse_run(config::parse_yaml(
      "model: {name: stylegan2, conditional: true, resolution: 16, z_dim: 8, w_dim: 8, "
      "mapping_layers: 2, channel_base: 128, channel_max: 16, discriminator: skip, "
      "mbstd_group: 2}",
      "test"));
  config.model.channels = 1;
  config.model.label_count = 3;
  return config;
}

/// Networks of this shape, with weights of this seed.
models::Networks networks(std::uint64_t seed) {
  return models::build_networks(configuration().model, seed, nullptr);
}

NamedTensors public_tensors() {
  NamedTensors tensors;
  insert_with_prefix(tensors, "G.", named_state(*networks(7).generator));
  insert_with_prefix(tensors, "D.", named_state(*networks(7).discriminator));
  insert_with_prefix(tensors, "G_ema.", named_state(*networks(8).generator));
  return tensors;
}

void import(const TemporaryFolder& folder, const Metadata& metadata,
            const NamedTensors& tensors = public_tensors()) {
  checkpoint::write_safetensors(folder / "weights.safetensors", tensors, metadata);
  import_weights(folder / "weights.safetensors", RunFolder(folder / "run"));
}

TEST(ImportWeights, MakesARunOfTheirModel) {
  const TemporaryFolder folder;
  import(folder, metadata());
  const auto trained = load_newest_generator(folder / "run");
  EXPECT_EQ(trained.config.model.name, "stylegan2");
  EXPECT_EQ(trained.generator->label_count(), 3);
  const auto expected = named_state(*networks(8).generator);
  for (const auto& [name, tensor] : named_state(*trained.generator)) {
    EXPECT_TRUE(at::equal(tensor, expected.at(name))) << name;
  }
}

// The image is the sum of three resolutions, each of which is clamped.
TEST(ImportWeights, ClampsActivationsAsTheFileSays) {
  const TemporaryFolder folder;
  auto clamped = metadata();
  clamped["precision"] = "fp16";
  clamped["low_precision_resolutions"] = "2";
  clamped["conv_clamp"] = "0.001";
  import(folder, clamped);
  const auto trained = load_newest_generator(folder / "run");
  kernels::RandomStream unused({}, Stream::kSamples);
  const auto z = kernels::random_normal({7, 0, 1}, Stream::kSamples, 0, {4, 8}, at::kFloat);
  const auto images = trained.generator->forward(z, at::zeros({4}, at::kLong), unused);
  EXPECT_GT(images.abs().max().item<double>(), 0);
  EXPECT_LT(images.abs().max().item<double>(), 0.0031);
}

TEST(ImportWeights, RefusesFilesOfAnotherKind) {
  const TemporaryFolder folder;
  auto other = metadata();
  other["kind"] = "vae_weights";
  expect_error(ExitCode::kData,
               "not a file of scripts/convert-weights.py: ", [&] { import(folder, other); });
  other.erase("kind");
  expect_error(ExitCode::kData,
               "not a file of scripts/convert-weights.py: ", [&] { import(folder, other); });
}

TEST(ImportWeights, NamesWhatTheMetadataLack) {
  const TemporaryFolder folder;
  auto incomplete = metadata();
  incomplete.erase("w_dim");
  expect_error(ExitCode::kData, "the weights' metadata lacks a key: w_dim",
               [&] { import(folder, incomplete); });
}

TEST(ImportWeights, RefusesMetadataThatAreNotNumbers) {
  const TemporaryFolder folder;
  auto wrong = metadata();
  wrong["channels"] = "gray";
  expect_error(ExitCode::kData, "the weights' metadata has no number from 1 to 3: channels: gray",
               [&] { import(folder, wrong); });
  wrong["channels"] = "1";
  wrong["label_count"] = "4294967296";
  expect_error(ExitCode::kData, "from 0 to 16777216: label_count: 4294967296",
               [&] { import(folder, wrong); });
  wrong["label_count"] = "0";
  wrong["z_dim"] = "eight";
  expect_error(ExitCode::kConfig, "model.z_dim: expected an integer: eight",
               [&] { import(folder, wrong); });
}

TEST(ImportWeights, NamesTheTensorThatIsMissingAndLeavesNoRun) {
  const TemporaryFolder folder;
  auto tensors = public_tensors();
  ASSERT_EQ(tensors.erase("D.b4.out.weight"), 1);
  expect_error(ExitCode::kData, "D. lacks a tensor: b4.out.weight",
               [&] { import(folder, metadata(), tensors); });
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

TEST(ImportWeights, CanBeRepeatedAfterTheCheckpointCouldNotBeWritten) {
  const TemporaryFolder folder;
  folder.write("run/checkpoints", "a file in the way");
  expect_error(ExitCode::kData, (folder / "run/checkpoints").string(),
               [&] { import(folder, metadata()); });
  EXPECT_FALSE(std::filesystem::exists(folder / "run/config.yaml"));
  std::filesystem::remove(folder / "run/checkpoints");
  import(folder, metadata());
  EXPECT_EQ(load_newest_generator(folder / "run").config.model.name, "stylegan2");
}

// Twice as wide at 8x8 pixels as the metadata say.
TEST(ImportWeights, RefusesWeightsOfAnotherConfiguration) {
  const TemporaryFolder folder;
  const RunConfig config = parse_run(config::parse_yaml(
      "model: {name: r3gan, resolution: 8, z_dim: 4, widths: [8, 8], cardinality: [2, 2]}",
      "test"));
  const auto networks = models::build_networks(config.model, /*seed=*/7, nullptr);
  NamedTensors tensors;
  insert_with_prefix(tensors, "G.", named_state(*networks.generator));
  insert_with_prefix(tensors, "D.", named_state(*networks.discriminator));
  insert_with_prefix(tensors, "G_ema.", named_state(*networks.generator));
  Metadata told{{"kind", "r3gan_weights"}, {"resolution", "8"},     {"channels", "3"},
                {"label_count", "0"},      {"z_dim", "4"},          {"widths", "[8, 4]"},
                {"cardinality", "[2, 2]"}, {"blocks", "[2, 2]"},    {"expansion", "2"},
                {"label_dim", "64"},       {"score_label_dim", "8"}};
  expect_error(ExitCode::kData,
               "weights.safetensors: G. has a tensor of another shape: "
               "Model.AggregationLayer.Layer.weight: [3, 8, 1, 1], expected [3, 4, 1, 1]; compared "
               "with the networks of imported weights: model.name r3gan, model.resolution 8; use",
               [&] { import(folder, told, tensors); });
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
  told["cardinality"] = "[2]";
  expect_error(ExitCode::kConfig, "imported weights: model.cardinality: this resolution has",
               [&] { import(folder, told, tensors); });
  told["cardinality"] = "[2, 2]";
  told["widths"] = "[8, 8]";
  import(folder, told, tensors);
  EXPECT_EQ(load_newest_generator(folder / "run").config.model.name, "r3gan");
}

TEST(ImportWeights, NamesTheTensorThatNoNetworkHas) {
  const TemporaryFolder folder;
  auto tensors = public_tensors();
  tensors.emplace("G_ema.synthesis.b32.const", at::zeros({1}));
  expect_error(ExitCode::kData, "G_ema. has an unknown tensor: synthesis.b32.const",
               [&] { import(folder, metadata(), tensors); });
}

/// Imports weights without metadata, with a configuration.
void import_with_configuration(const TemporaryFolder& folder, const NamedTensors& tensors) {
  checkpoint::write_safetensors(folder / "weights.safetensors", tensors);
  import_weights(folder / "weights.safetensors", configuration(), {"own.yaml", 3},
                 RunFolder(folder / "run"));
}

/// Expects that a network of the new run has the weights of this seed.
void expect_weights(const TemporaryFolder& folder, const char* file, const NamedTensors& expected) {
  const auto newest = checkpoint::newest_valid_checkpoint(folder / "run");
  ASSERT_TRUE(newest);
  const auto snapshot = checkpoint::load_checkpoint(*newest);
  for (const auto& [name, tensor] : expected)
    EXPECT_TRUE(at::equal(snapshot.files.at(file).at(name), tensor)) << file << ": " << name;
}

TEST(ImportWeights, TakesAConfigurationWhereTheFileHasNoMetadata) {
  const TemporaryFolder folder;
  import_with_configuration(folder, public_tensors());
  expect_weights(folder, "generator", named_state(*networks(7).generator));
  expect_weights(folder, "discriminator", named_state(*networks(7).discriminator));
  expect_weights(folder, "generator_ema", named_state(*networks(8).generator));
  EXPECT_EQ(load_newest_generator(folder / "run").config.model.name, "stylegan2");
}

TEST(ImportWeights, TakesASingleNetworkForTheGeneratorAndItsAverage) {
  const TemporaryFolder folder;
  import_with_configuration(folder, named_state(*networks(8).generator));
  expect_weights(folder, "generator", named_state(*networks(8).generator));
  expect_weights(folder, "generator_ema", named_state(*networks(8).generator));
  expect_weights(folder, "discriminator",
                 named_state(*networks(configuration().training.seed).discriminator));
}

TEST(ImportWeights, TakesTheGeneratorForItsAverageAndLeavesOutOtherTensors) {
  const TemporaryFolder folder;
  NamedTensors tensors{{"optimizer.0", at::zeros({2})}};
  insert_with_prefix(tensors, "G.", named_state(*networks(8).generator));
  import_with_configuration(folder, tensors);
  expect_weights(folder, "generator", named_state(*networks(8).generator));
  expect_weights(folder, "generator_ema", named_state(*networks(8).generator));
}

TEST(ImportWeights, NeedsAGenerator) {
  const TemporaryFolder folder;
  NamedTensors tensors;
  insert_with_prefix(tensors, "D.", named_state(*networks(7).discriminator));
  expect_error(ExitCode::kData, "the file has no generator (G or G_ema): ", [&] {
    import_with_configuration(folder, tensors);
  });
}

TEST(ImportWeights, RefusesWeightsOfAnotherShapeThanTheConfiguration) {
  const TemporaryFolder folder;
  auto tensors = named_state(*networks(8).generator);
  tensors.at("synthesis.b4.const") = at::zeros({1, 4, 4});
  expect_error(
      ExitCode::kData,
      "has a tensor of another shape: synthesis.b4.const: [1, 4, 4], expected [16, 4, 4]; "
      "compared with the networks of own.yaml:3: model.name stylegan2, model.resolution 16",
      [&] { import_with_configuration(folder, tensors); });
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

TEST(ImportWeights, KeepsARunThatIsThere) {
  const TemporaryFolder folder;
  import(folder, metadata());
  expect_error(ExitCode::kConfig, "this folder already contains a run",
               [&] { import(folder, metadata()); });
}

}  // namespace
}  // namespace ganscale::training
