#include "training/replica/transfer.h"

#include <ATen/ATen.h>

#include "base/log.h"
#include "checkpoint/write_checkpoint.h"
#include "files/atomic_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "training/replica/run_snapshot.h"
#include "training/run/parse_run.h"

namespace ganscale::training {
namespace {

RunConfig make_config(const std::string& model, std::uint64_t seed) {
  RunConfig config = parse_run(config::parse_yaml(model, "test"));
  config.model.channels = 1;
  config.training.seed = seed;
  return config;
}

/// Writes a checkpoint of a fresh replica.
std::filesystem::path write_run(const std::filesystem::path& run, const RunConfig& config) {
  Replica replica(config, at::kCPU, {});
  for (auto& parameter : replica.generator_ema().parameters()) parameter.add_(1);
  checkpoint::write_checkpoint(run,
                               make_snapshot(replica.state(), {.model = config.model.name}, {}));
  return run;
}

TEST(TransferWeights, TakesBothNetworksAndTheAverage) {
  const TemporaryFolder folder;
  const auto config = make_config("model: {name: dcgan}", 1);
  write_run(folder.path(), config);
  Replica source(config, at::kCPU, {});
  Replica target(make_config("model: {name: dcgan}", 2), at::kCPU, {});
  transfer_weights(target, folder.path());
  const auto expected = source.state();
  const auto taken = target.state();
  for (const char* file : {"generator", "discriminator"}) {
    for (const auto& [name, tensor] : expected.at(file))
      EXPECT_TRUE(at::equal(taken.at(file).at(name), tensor)) << name;
  }
  for (const auto& [name, tensor] : named_parameters(source.generator_ema()))
    EXPECT_TRUE(at::equal(taken.at("generator_ema").at(name), tensor + 1)) << name;
}

TEST(TransferWeights, BeginsOtherAveragesWithTheAverage) {
  const TemporaryFolder folder;
  write_run(folder.path(), make_config("model: {name: dcgan}", 1));
  Replica target(make_config("{model: {name: dcgan}, generator: {other_ema_kimg: [2]}}", 2),
                 at::kCPU, {});
  transfer_weights(target, folder.path());
  const auto taken = target.state();
  for (const auto& [name, tensor] : taken.at("generator_ema"))
    EXPECT_TRUE(at::equal(taken.at("generator_ema_2").at(name), tensor)) << name;
}

TEST(TransferWeights, LeavesWhatDoesNotFit) {
  const TemporaryFolder folder;
  write_run(folder.path(), make_config("model: {name: dcgan}", 1));
  auto gray = make_config("model: {name: dcgan}", 1);
  auto color = make_config("model: {name: dcgan}", 2);
  color.model.channels = 3;
  Replica source(gray, at::kCPU, {});
  Replica before(color, at::kCPU, {});
  Replica target(color, at::kCPU, {});
  transfer_weights(target, folder.path());
  const auto old = named_state(before.discriminator());
  const auto now = named_state(target.discriminator());
  int taken = 0, left = 0;
  for (const auto& [name, tensor] : named_parameters(source.discriminator())) {
    const bool fits = now.at(name).sizes() == tensor.sizes();
    EXPECT_TRUE(at::equal(now.at(name), fits ? tensor : old.at(name))) << name;
    ++(fits ? taken : left);
  }
  EXPECT_GT(taken, left);
  EXPECT_EQ(left, 1);  // the convolution that sees the pixels
}

RunConfig make_stylegan2(int channels, int mapping_layers) {
  return make_config("model: {name: stylegan2, resolution: 8, z_dim: 4, w_dim: 4, channel_max: " +
                         std::to_string(channels) +
                         ", mapping_layers: " + std::to_string(mapping_layers) + "}",
                     1);
}

// Filters, the strengths of the noises and the bias of D's one score have the same shape there.
TEST(TransferWeights, RefusesANetworkWithoutOneParameterInCommon) {
  const TemporaryFolder folder;
  write_run(folder.path(), make_stylegan2(4, 2));
  Replica target(make_stylegan2(8, 2), at::kCPU, {});
  expect_error(ExitCode::kConfig,
               "training.resume_weights: no parameter has the name and shape of one of this model: "
               "discriminator of ",
               [&] { transfer_weights(target, folder.path()); });
}

RunConfig make_stylegan3(int resolution) {
  return make_config(
      "model: {name: stylegan3, z_dim: 4, w_dim: 4, channel_base: 256, "
      "channel_max: 16, layers: 6, margin: 4, resolution: " +
          std::to_string(resolution) + "}",
      1);
}

// The layer L1 has the same name and shapes in both, and filters of different cutoffs.
TEST(TransferWeights, KeepsTheFiltersOfItsResolution) {
  const TemporaryFolder folder;
  write_run(folder.path(), make_stylegan3(16));
  Replica source(make_stylegan3(16), at::kCPU, {});
  Replica before(make_stylegan3(32), at::kCPU, {});
  Replica target(make_stylegan3(32), at::kCPU, {});
  transfer_weights(target, folder.path());
  const auto of_source = named_state(source.generator());
  const auto own = named_state(before.generator());
  int different = 0;
  for (const auto& [name, tensor] : named_state(target.generator())) {
    if (!name.ends_with("_filter")) continue;
    EXPECT_TRUE(at::equal(tensor, own.at(name))) << name;
    const auto other = of_source.find(name);
    if (other == of_source.end() || other->second.sizes() != tensor.sizes()) continue;
    if (!at::equal(other->second, tensor)) ++different;
  }
  EXPECT_GT(different, 0);
}

TEST(TransferWeights, WarnsBelowHalf) {
  const TemporaryFolder folder;
  const auto log_of = [&](int mapping_layers) {
    log::set_file(folder / "log.jsonl");
    Replica target(make_stylegan2(4, mapping_layers), at::kCPU, {});
    transfer_weights(target, folder.path());
    log::set_file({});
    const auto text = files::read_file(folder / "log.jsonl");
    std::filesystem::remove(folder / "log.jsonl");
    return text;
  };
  write_run(folder.path(), make_stylegan2(4, 2));
  EXPECT_THAT(log_of(3), testing::Not(testing::HasSubstr("fewer than half")));
  EXPECT_THAT(log_of(64), testing::HasSubstr("fewer than half"));
}

TEST(TransferWeights, NeedsACheckpoint) {
  const TemporaryFolder folder;
  Replica target(make_config("model: {name: dcgan}", 2), at::kCPU, {});
  expect_error(ExitCode::kData, "names no checkpoint",
               [&] { transfer_weights(target, folder.path()); });
}

TEST(Freeze, LeavesParametersOutOfTheOptimizer) {
  auto config = make_config("model: {name: dcgan}", 1);
  const auto all = named_parameters(Replica(config, at::kCPU, {}).discriminator());
  config.discriminator.freeze = {all.begin()->first};
  Replica replica(config, at::kCPU, {});
  const auto& trained = replica.discriminator_optimizer().parameters();
  EXPECT_EQ(trained.size(), all.size() - 1);
  EXPECT_FALSE(trained.contains(all.begin()->first));
  EXPECT_FALSE(named_parameters(replica.discriminator()).begin()->second.requires_grad());
}

TEST(Freeze, TakesNamesThatBeginAlike) {
  auto config = make_config("model: {name: dcgan}", 1);
  const auto all = named_parameters(Replica(config, at::kCPU, {}).discriminator());
  const std::string name = all.begin()->first;
  config.discriminator.freeze = {name.substr(0, name.size() - 1), name};
  Replica replica(config, at::kCPU, {});
  EXPECT_FALSE(replica.discriminator_optimizer().parameters().contains(name));
}

TEST(Freeze, LeavesSomethingToTrain) {
  auto config = make_config("model: {name: stylegan2, channel_max: 8, w_dim: 8, z_dim: 8}", 1);
  config.discriminator.freeze = {"b32", "b"};
  expect_error(ExitCode::kConfig, "discriminator.freeze: nothing is left to train: b32, b",
               [&] { Replica(config, at::kCPU, {}); });
}

TEST(Freeze, RefusesNamesThatNoParameterHas) {
  const auto config = make_config("model: {name: dcgan}\ndiscriminator:\n  freeze: [b256]", 1);
  expect_error(ExitCode::kConfig,
               "test:3: discriminator.freeze: no parameter's name begins with: b256",
               [&] { Replica(config, at::kCPU, {}); });
}

}  // namespace
}  // namespace ganscale::training
