#include "training/phases/build_phases.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "comm/bucketed_gradients.h"
#include "comm/thread_group.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

/// The phases of a run on gray images of 32 x 32 pixels.
class Phases {
 public:
  explicit Phases(const std::string& yaml) : config(parse(yaml)) {
    config.model.channels = 1;
    replica.emplace(config, at::kCPU, ReplicaGroups{});
    generator.emplace(replica->generator().parameters(), *group, 1 << 20);
    discriminator.emplace(replica->discriminator().parameters(), *group, 1 << 20);
    phases = build_phases(config, *replica, {&*generator, &*discriminator}, *group);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Phase& phase : phases) result.push_back(phase.name);
    return result;
  }

  RunConfig config;
  std::unique_ptr<comm::Group> group = comm::make_single_group();
  std::optional<Replica> replica;
  std::optional<comm::BucketedGradients> generator;
  std::optional<comm::BucketedGradients> discriminator;
  std::vector<Phase> phases;
};

constexpr const char* kStylegan2 =
    "model: {name: stylegan2, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: 8, "
    "mapping_layers: 2}\ntraining: {batch: 4}\n";

using Names = std::vector<std::string>;

TEST(BuildPhases, TrainsTheGeneratorThenTheDiscriminator) {
  const Phases plain("training: {batch: 4}\n");
  EXPECT_EQ(plain.names(), (Names{"Gmain", "Dmain"}));
}

TEST(BuildPhases, RegularizesInTheirIntervals) {
  const Phases all(std::string(kStylegan2) +
                   "generator: {path_length_weight: 2, path_length_interval: 4}\n"
                   "discriminator: {r1_gamma: 1, r1_interval: 16}\n");
  EXPECT_EQ(all.names(), (Names{"Gmain", "Greg", "Dmain", "Dreg"}));
  EXPECT_EQ(all.phases[1].interval, 4);
  EXPECT_EQ(all.phases[3].interval, 16);
  EXPECT_TRUE(all.phases[1].is_due(8));
  EXPECT_FALSE(all.phases[1].is_due(9));
}

TEST(BuildPhases, TrainsTheCriticMoreOften) {
  const Phases wasserstein("training: {batch: 4}\nloss: {name: wasserstein, critic_steps: 5}\n");
  EXPECT_EQ(wasserstein.phases[0].interval, 5);
  EXPECT_EQ(wasserstein.phases[1].interval, 1);
}

TEST(BuildPhases, NamesTheStatisticsThatTheLossesReport) {
  for (const std::string& yaml :
       {std::string("training: {batch: 4}\n"),
        std::string("training: {batch: 4}\nmodel: {name: wgan}\nloss: {name: wasserstein}\n"),
        std::string("training: {batch: 4}\nmodel: {name: wgan}\n"
                    "loss: {name: wasserstein, weight_clip: 0.1}\n"),
        std::string(kStylegan2) +
            "generator: {path_length_weight: 2}\ndiscriminator: {r1_gamma: 1}\n"}) {
    Phases run(yaml);
    const StepInput input{.real = {at::zeros({4, 1, 32, 32}), {}}, .images = {.seed = 1}};
    for (Phase& phase : run.phases) {
      Names reported;
      for (const auto& [name, value] : compute_gradients(phase, input)) reported.push_back(name);
      Names named = phase.statistics;
      std::ranges::sort(named);
      EXPECT_EQ(reported, named) << phase.name << " of " << yaml;
    }
  }
}

}  // namespace
}  // namespace ganscale::training
