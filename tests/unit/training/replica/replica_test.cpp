#include "training/replica/replica.h"

#include <ATen/ATen.h>

#include "support/expect_error.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

RunConfig gray_run(const std::string& yaml) {
  RunConfig result = parse(yaml);
  result.model.channels = 1;
  return result;
}

constexpr const char* kWithStyles =
    "model: {name: stylegan2, resolution: 16, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: "
    "8, mapping_layers: 2}\n";

using State = std::map<std::string, NamedTensors>;

std::vector<std::string> files_of(const State& state) {
  std::vector<std::string> files;
  for (const auto& [file, tensors] : state) files.push_back(file);
  return files;
}

TEST(Replica, HasTheFilesOfACheckpoint) {
  Replica plain(gray_run("{}"), at::kCPU, {});
  EXPECT_EQ(files_of(plain.state()),
            (std::vector<std::string>{"discriminator", "discriminator_optimizer", "generator",
                                      "generator_ema", "generator_optimizer"}));
  Replica adaptive(gray_run(std::string(kWithStyles) +
                            "augment: {name: ada}\ngenerator: {path_length_weight: 2}"),
                   at::kCPU, {});
  const auto state = adaptive.state();
  EXPECT_EQ(files_of(state),
            (std::vector<std::string>{"augmentation", "discriminator", "discriminator_optimizer",
                                      "generator", "generator_ema", "generator_optimizer",
                                      "regularisation"}));
  EXPECT_TRUE(state.at("regularisation").contains("path_length_mean"));
}

TEST(Replica, HasAFileForEachAverage) {
  Replica replica(gray_run("generator: {ema_kimg: 10, other_ema_kimg: [2, 0.5]}"), at::kCPU, {});
  const auto state = replica.state();
  for (const char* file : {"generator_ema_0.5", "generator_ema_2"}) {
    ASSERT_TRUE(state.contains(file)) << file;
    for (const auto& [name, tensor] : state.at("generator"))
      EXPECT_TRUE(at::equal(state.at(file).at(name), tensor)) << file << ": " << name;
  }
  EXPECT_FALSE(state.contains("generator_ema_10"));
}

// "<parameter>.<state>": checkpoints of any version of this program are read by these names.
TEST(Replica, NamesTheStateOfItsOptimizersAfterTheParameters) {
  Replica replica(gray_run("discriminator: {optimizer: {name: rmsprop}}"), at::kCPU, {});
  const auto state = replica.state();
  for (const auto& [name, parameter] : named_parameters(replica.generator())) {
    for (const char* slot : {".step", ".exp_avg", ".exp_avg_sq"}) {
      EXPECT_TRUE(state.at("generator_optimizer").contains(name + slot)) << name << slot;
    }
  }
  for (const auto& [name, parameter] : named_parameters(replica.discriminator())) {
    EXPECT_TRUE(state.at("discriminator_optimizer").contains(name + ".square_avg")) << name;
  }
}

TEST(Replica, NamesTheSlowWeightsOfLookaheadAfterTheParameters) {
  Replica replica(gray_run("generator: {optimizer: {name: lookahead, inner: {name: adabelief}}}"),
                  at::kCPU, {});
  const NamedTensors state = replica.state().at("generator_optimizer");
  EXPECT_TRUE(state.contains("lookahead.updates"));
  for (const auto& [name, parameter] : named_parameters(replica.generator())) {
    for (const char* slot : {".step", ".exp_avg", ".exp_avg_var", ".slow_weight"}) {
      EXPECT_TRUE(state.contains(name + slot)) << name << slot;
    }
  }
}

TEST(Replica, HoldsLiveTensors) {
  Replica replica(gray_run("{}"), at::kCPU, {});
  const at::NoGradGuard no_grad;
  replica.state().at("generator").begin()->second.fill_(3);
  EXPECT_EQ(named_state(replica.generator()).begin()->second.min().item<double>(), 3);
}

TEST(Replica, BeginsWithAnAverageThatIsTheGenerator) {
  Replica replica(gray_run(kWithStyles), at::kCPU, {});
  const auto state = replica.state();
  for (const auto& [name, tensor] : state.at("generator")) {
    EXPECT_TRUE(at::equal(state.at("generator_ema").at(name), tensor)) << name;
    EXPECT_FALSE(state.at("generator_ema").at(name).is_alias_of(tensor)) << name;
  }
  EXPECT_TRUE(replica.generator().is_training());
  EXPECT_FALSE(replica.generator_ema().is_training());
  for (const auto& parameter : replica.generator_ema().parameters()) {
    EXPECT_FALSE(parameter.requires_grad());
  }
}

TEST(Replica, OfASeedIsAlwaysTheSame) {
  const auto weights = [](int seed) {
    Replica replica(gray_run("training: {seed: " + std::to_string(seed) + "}"), at::kCPU, {});
    return named_state(replica.generator()).at("l1.0.weight").clone();
  };
  EXPECT_TRUE(at::equal(weights(1), weights(1)));
  EXPECT_FALSE(at::equal(weights(1), weights(2)));
}

TEST(Replica, ComputesInFloat64IfConfigured) {
  Replica replica(gray_run("training: {precision: fp64}"), at::kCPU, {});
  const auto state = replica.state();
  for (const auto& file : {"generator", "generator_ema", "discriminator"}) {
    for (const auto& [name, tensor] : state.at(file)) {
      EXPECT_TRUE(!tensor.is_floating_point() || tensor.scalar_type() == at::kDouble)
          << file << ": " << name;
    }
  }
}

TEST(Replica, TrainsNothingThatIsFrozen) {
  Replica replica(gray_run("discriminator: {freeze: [model.0, model.3]}"), at::kCPU, {});
  for (const auto& [name, parameter] : named_parameters(replica.discriminator())) {
    const bool is_frozen = name.starts_with("model.0") || name.starts_with("model.3");
    EXPECT_EQ(parameter.requires_grad(), !is_frozen) << name;
    EXPECT_EQ(replica.discriminator_optimizer().parameters().contains(name), !is_frozen) << name;
  }
}

TEST(Replica, RefusesToFreezeUnknownParametersOrAll) {
  const auto build = [](const std::string& prefixes) {
    Replica(gray_run("discriminator:\n  freeze: [" + prefixes + "]\n"), at::kCPU, {});
  };
  expect_error(ExitCode::kConfig,
               "run.yaml:2: discriminator.freeze: no parameter's name begins with: modle",
               [&] { build("model.0, modle"); });
  expect_error(ExitCode::kConfig,
               "run.yaml:2: discriminator.freeze: nothing is left to train: model, adv_layer",
               [&] { build("model, adv_layer"); });
}

/// Returns a snapshot of a replica whose every number is the given one, except in filters.
checkpoint::Snapshot snapshot_of(const std::string& yaml, double number) {
  Replica replica(gray_run(yaml), at::kCPU, {});
  const at::NoGradGuard no_grad;
  checkpoint::Snapshot snapshot;
  for (const auto& [file, tensors] : replica.state()) {
    for (const auto& [name, tensor] : tensors) {
      snapshot.files[file][name] = is_filter(name) ? tensor.clone() : at::full_like(tensor, number);
    }
  }
  return snapshot;
}

TEST(Replica, RestoresAllOfItsState) {
  const std::string yaml =
      std::string(kWithStyles) + "augment: {name: ada}\ngenerator: {path_length_weight: 2}";
  Replica replica(gray_run(yaml), at::kCPU, {});
  replica.restore(snapshot_of(yaml, 3));
  for (const auto& [file, tensors] : replica.state()) {
    for (const auto& [name, tensor] : tensors) {
      EXPECT_TRUE(is_filter(name) || tensor.eq(3).all().item<bool>()) << file << ": " << name;
    }
  }
}

/// A StyleGAN3 whose first layer has this cutoff.
RunConfig with_filters(const std::string& first_cutoff) {
  return gray_run(
      "model: {name: stylegan3, resolution: 16, z_dim: 4, w_dim: 4, channel_base: 256, "
      "channel_max: 16, layers: 6, margin: 4, first_cutoff: " +
      first_cutoff + "}");
}

checkpoint::Snapshot snapshot_of(Replica& replica) {
  checkpoint::Snapshot snapshot;
  snapshot.files = replica.state();
  return snapshot;
}

TEST(Replica, RefusesFiltersOfAnotherDesign) {
  Replica replica(with_filters("2.1"), at::kCPU, {});
  Replica same(with_filters("2.1"), at::kCPU, {});
  EXPECT_NO_THROW(replica.restore(snapshot_of(same)));
  Replica other(with_filters("2.2"), at::kCPU, {});
  expect_error(ExitCode::kData,
               "generator of the checkpoint has a filter of another design than the configuration "
               "says: ",
               [&] { replica.restore(snapshot_of(other)); });
}

// As another machine may round it.
TEST(Replica, TakesFiltersThatAreRoundedDifferently) {
  Replica replica(with_filters("2.1"), at::kCPU, {});
  Replica other(with_filters("2.1"), at::kCPU, {});
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : named_state(other.generator())) {
    if (name.ends_with("_filter")) tensor.mul_(1 + 1e-6);
  }
  EXPECT_NO_THROW(replica.restore(snapshot_of(other)));
}

TEST(Replica, RefusesMeansOfRanksThatAreNoVector) {
  Replica replica(gray_run("{}"), at::kCPU, {});
  auto snapshot = snapshot_of("{}", 3);
  snapshot.files["regularisation_of_ranks"] = {{"path_length_mean", at::zeros({})}};
  expect_error(ExitCode::kData,
               "regularisation_of_ranks of the checkpoint lacks a vector: path_length_mean",
               [&] { replica.restore(snapshot); });
}

TEST(Replica, MayTurnOnAdaptationLater) {
  Replica replica(gray_run(std::string(kWithStyles) + "augment: {name: ada}"), at::kCPU, {});
  replica.restore(snapshot_of(kWithStyles, 3));
  EXPECT_EQ(replica.augmentation().p(), 0);
}

TEST(Replica, NamesTheFileAndTheTensorThatACheckpointLacks) {
  Replica replica(gray_run("{}"), at::kCPU, {});
  auto snapshot = snapshot_of("{}", 3);
  const NamedTensors average = snapshot.files.at("generator_ema");
  snapshot.files.erase("generator_ema");
  expect_error(ExitCode::kData, "the checkpoint lacks a file: generator_ema",
               [&] { replica.restore(snapshot); });
  snapshot.files.emplace("generator_ema", average);
  snapshot.files.at("generator").erase("l1.0.weight");
  expect_error(ExitCode::kData, "generator of the checkpoint lacks a tensor: l1.0.weight",
               [&] { replica.restore(snapshot); });
}

}  // namespace
}  // namespace ganscale::training
