#include "training/phases/build_phases.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "comm/backends/thread_group.h"
#include "comm/collectives/bucketed_gradients.h"
#include "support/expect_error.h"
#include "training/phases/joined_batches.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

/// The phases of a run on gray images of 32 x 32 pixels.
class Phases {
 public:
  explicit Phases(const std::string& yaml, int label_count = 0) : config(parse(yaml)) {
    config.model.channels = 1;
    config.model.label_count = label_count;
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

constexpr const char* kR3gan =
    "model: {name: r3gan, z_dim: 4, channel_base: 64, channel_max: 4, group_channels: 4, "
    "blocks: [1, 1, 1, 1]}\n"
    "loss: {name: relativistic}\n"
    "training: {batch: 4}\n"
    "generator: {optimizer: {betas: [0, 0.5], beta2_schedule: {name: linear, final: 0.7, kimg: "
    "1}}}\n"
    "discriminator: {r1_gamma: 1, r2_gamma: 1, penalty_phase: main, "
    "gamma_schedule: {name: linear, final_fraction: 0.5, kimg: 1}}\n"
    "augment: {name: ada, adaptive: false, p: 0, p_schedule: {name: linear, final: 1, kimg: 1}}\n";

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

/// Returns which of the first 14 steps a phase is due in.
std::vector<std::int64_t> due_steps(const Phases& run, const std::string& name) {
  std::vector<std::int64_t> steps;
  const auto phase = std::ranges::find(run.phases, name, &Phase::name);
  for (std::int64_t step = 0; step < 14; ++step) {
    if (phase->is_due(step)) steps.push_back(step);
  }
  return steps;
}

// The rate, the betas and the factor of the penalty are for one update in three of the generator's.
TEST(BuildPhases, CountsTheIntervalOfPathLengthsInStepsOfTheGenerator) {
  using Steps = std::vector<std::int64_t>;
  const std::string lazy = std::string(kStylegan2) +
                           "generator: {path_length_weight: 2, path_length_interval: 3}\n"
                           "discriminator: {r1_gamma: 1, r1_interval: 4}\n"
                           "loss: {critic_steps: 2, first: ";
  const Phases before(lazy + "generator}\n");
  EXPECT_EQ(due_steps(before, "Gmain"), (Steps{0, 2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(due_steps(before, "Greg"), (Steps{0, 6, 12}));
  EXPECT_EQ(due_steps(before, "Dreg"), (Steps{0, 4, 8, 12}));
  const Phases after(lazy + "discriminator}\n");
  EXPECT_EQ(due_steps(after, "Gmain"), (Steps{1, 3, 5, 7, 9, 11, 13}));
  EXPECT_EQ(due_steps(after, "Greg"), (Steps{1, 7, 13}));
  EXPECT_EQ(due_steps(after, "Dreg"), (Steps{0, 4, 8, 12}));
}

TEST(BuildPhases, TrainsTheDiscriminatorFirstIfConfigured) {
  const Phases hinge(
      "training: {batch: 4}\nloss: {name: hinge, first: discriminator, critic_steps: 2}\n"
      "discriminator: {r1_gamma: 1}\n");
  EXPECT_EQ(hinge.names(), (Names{"Dmain", "Dreg", "Gmain"}));
  const Phase& generator = hinge.phases[2];
  EXPECT_FALSE(generator.is_due(0));
  EXPECT_TRUE(generator.is_due(1));
  EXPECT_TRUE(generator.is_due(3));
}

TEST(BuildPhases, ScoresRealsAndFakesInOnePassIfTheModelJoinsThem) {
  const Phases apart("training: {batch: 4}\n");
  EXPECT_EQ(apart.phases[1].losses.size(), 2);
  const Phases joined(
      "model: {name: biggan, generator_channels: 1, discriminator_channels: 1}\n"
      "training: {batch: 4}\nloss: {name: hinge}\n",
      /*label_count=*/2);
  EXPECT_EQ(joined.phases[1].losses.size(), 1);
}

/// Returns a left singular vector of BigGAN's discriminator before and after Dmain, and what a
/// power iteration makes of one.
struct SingularVectors {
  explicit SingularVectors(const std::string& joined_batches)
      : run("model: {name: biggan, generator_channels: 1, discriminator_channels: 1}\n"
            "training: {batch: 4}\nloss: {name: hinge}\n"
            "discriminator: {joined_batches: " +
                joined_batches + "}\n",
            /*label_count=*/2) {
    const auto state = named_state(run.replica->discriminator());
    const at::Tensor drawn = state.at("blocks.1.0.conv2.weight").detach();
    drawn.add_(at::arange(drawn.numel(), at::kFloat).sin().view_as(drawn));  // was orthogonal
    weight = drawn.flatten(1).clone();
    before = state.at("blocks.1.0.conv2.u0")[0].clone();
    const at::Tensor labels = at::tensor({0, 1, 0, 1}, at::kLong);
    compute_gradients(run.phases[1],
                      {.real = {at::zeros({4, 1, 32, 32}), labels}, .images = {.seed = 1}});
    after = state.at("blocks.1.0.conv2.u0")[0].clone();
  }
  at::Tensor iterated(const at::Tensor& u) const {
    const at::Tensor left = weight.mv(weight.t().mv(u));
    return left / left.norm();
  }

  Phases run;
  at::Tensor weight;
  at::Tensor before;
  at::Tensor after;
};

TEST(BuildPhases, MakesOnePowerIterationForAJoinedBatch) {
  const SingularVectors joined("auto");
  EXPECT_TRUE(at::allclose(joined.after, joined.iterated(joined.before), 0, 1e-5));
  const SingularVectors apart("false");
  EXPECT_TRUE(at::allclose(apart.after, apart.iterated(apart.iterated(apart.before)), 0, 1e-5));
  EXPECT_FALSE(at::allclose(apart.after, joined.after, 0, 1e-3));
}

TEST(BuildPhases, ScoresPairsAndTakesPenaltiesOfTheMainPhaseTogether) {
  const Phases run(kR3gan);
  EXPECT_EQ(run.names(), (Names{"Dmain", "Gmain"}));
  EXPECT_EQ(run.phases[0].losses.size(), 1);
}

TEST(BuildPhases, FollowsSchedules) {
  Phases run(kR3gan);
  const StepInput input{
      .real = {at::arange(4 * 32 * 32, at::kFloat).sin().view({4, 1, 32, 32}), {}},
      .images = {.seed = 1}};
  const auto r1 = [&] {
    return run.phases[0].losses.front()(input).statistics.at("loss/r1").item<double>();
  };
  const double first = r1();
  EXPECT_GT(first, 0);
  run.phases[0].follow_schedules(/*images_seen=*/500);
  EXPECT_DOUBLE_EQ(run.replica->generator_optimizer().beta2().value(), 0.6);
  EXPECT_DOUBLE_EQ(run.replica->discriminator_optimizer().beta2().value(), 0.999);
  EXPECT_EQ(run.replica->augmentation().p(), 0.5);
  run.phases[1].follow_schedules(/*images_seen=*/2000);
  EXPECT_EQ(run.replica->augmentation().p(), 1);
  run.replica->augmentation().begin_step(0);  // the same images as at first
  EXPECT_NEAR(r1(), first / 2, 1e-5 * first);
}

TEST(BuildPhases, GivesEachPhaseWhatTrainsItsNetwork) {
  Phases all(std::string(kStylegan2) +
             "generator: {path_length_weight: 2}\ndiscriminator: {r1_gamma: 1}\n");
  for (const Phase& phase : all.phases) {
    const bool is_of_generator = phase.name.starts_with('G');
    torch::nn::Module* network = &all.replica->discriminator();
    if (is_of_generator) network = &all.replica->generator();
    EXPECT_EQ(phase.network, network) << phase.name;
    EXPECT_EQ(phase.optimizer, is_of_generator ? &all.replica->generator_optimizer()
                                               : &all.replica->discriminator_optimizer())
        << phase.name;
    EXPECT_EQ(phase.gradients, is_of_generator ? &*all.generator : &*all.discriminator)
        << phase.name;
  }
}

// Both phases of a network update it at the rate of its policy: 4 / 5 and 16 / 17 of it.
TEST(BuildPhases, UpdatesAtTheEffectiveRate) {
  const Phases all(std::string(kStylegan2) +
                   "generator: {path_length_weight: 2, optimizer: {learning_rate: 0.0025}}\n"
                   "discriminator: {r1_gamma: 1, optimizer: {learning_rate: 0.017}}\n");
  for (const Phase& phase : all.phases) {
    EXPECT_DOUBLE_EQ(phase.learning_rate(0), phase.name.starts_with('G') ? 0.002 : 0.016)
        << phase.name;
  }
  const Phases falling("generator: {optimizer: {learning_rate: 0.5, schedule: {name: linear}}}\n");
  const auto total = falling.config.training.total_images();
  EXPECT_DOUBLE_EQ(falling.phases[0].learning_rate(total / 2), 0.25);
}

TEST(BuildPhases, ClipsTheGradientsOfEachNetworkInAllItsPhases) {
  const Phases all(std::string(kStylegan2) +
                   "generator: {path_length_weight: 2, optimizer: {clipping: {name: global_norm, "
                   "max_norm: 0.5}}}\n"
                   "discriminator: {r1_gamma: 1}\n");
  for (const Phase& phase : all.phases) {
    EXPECT_EQ(phase.max_gradient_norm, phase.name.starts_with('G') ? 0.5 : 0) << phase.name;
  }
}

TEST(BuildPhases, ClipsTheCriticAlone) {
  const Phases clipped("loss: {name: wasserstein, weight_clip: 0.01}\n");
  EXPECT_EQ(clipped.phases[0].weight_limit, 0);
  EXPECT_EQ(clipped.phases[1].weight_limit, 0.01);
}

double size_of_gradients(const torch::nn::Module& network) {
  double sum = 0;
  for (const auto& parameter : network.parameters()) {
    if (parameter.grad().defined()) sum += parameter.grad().abs().sum().item<double>();
  }
  return sum;
}

TEST(BuildPhases, ReachesOneNetworkInEachPhase) {
  Phases all(std::string(kStylegan2) +
             "generator: {path_length_weight: 2}\ndiscriminator: {r1_gamma: 1}\n");
  const at::Tensor real = at::arange(4 * 32 * 32, at::kFloat).sin().view({4, 1, 32, 32});
  const StepInput input{.real = {real, {}}, .images = {.seed = 1}};
  for (Phase& phase : all.phases) {
    all.generator->clear();
    all.discriminator->clear();
    compute_gradients(phase, input);
    const bool is_of_generator = phase.name.starts_with('G');
    EXPECT_EQ(size_of_gradients(all.replica->generator()) > 0, is_of_generator) << phase.name;
    EXPECT_EQ(size_of_gradients(all.replica->discriminator()) > 0, !is_of_generator) << phase.name;
  }
}

/// A run in float64 whose networks look at each image alone.
std::string alone(const std::string& model, const std::string& more = "") {
  return "model: {name: " + model +
         ", z_dim: 4, batch_norm: frozen}\n"
         "training: {batch: 4, precision: fp64}\n" +
         more;
}

/// Returns the sum of a phase's losses on reals of which no two are alike.
double loss_of(const Phase& phase, std::int64_t images_seen) {
  const at::Tensor real = at::arange(4 * 32 * 32, at::kDouble).mul(0.37).sin().view({4, 1, 32, 32});
  const StepInput input{.real = {real, {}},
                        .images = image_random(SeedMode::kImage, 1, 0, 1, images_seen)};
  double sum = 0;
  for (const auto& part : phase.losses) sum += part(input).total.item<double>();
  return sum;
}

TEST(BuildPhases, DrawsByImageNumber) {
  const Phases run(alone("dcgan"));
  for (const Phase& phase : run.phases) {
    EXPECT_EQ(loss_of(phase, 0), loss_of(phase, 0)) << phase.name;
    EXPECT_NE(loss_of(phase, 4), loss_of(phase, 0)) << phase.name;
  }
}

// The networks look at each image alone, and its numbers are its own.
TEST(BuildPhases, AddsUpTheGradientsOfAllPassesOfAStep) {
  Phases whole(alone("dcgan"));
  Phases parts(
      "model: {name: dcgan, z_dim: 4, batch_norm: frozen}\n"
      "training: {batch: 4, accumulate: 2, precision: fp64}\n");
  const at::Tensor real = at::arange(4 * 32 * 32, at::kDouble).mul(0.37).sin().view({4, 1, 32, 32});
  const StepInput input{.real = {real, {}}, .images = {.seed = 1}};
  for (const std::size_t i : {0, 1}) {
    compute_gradients(whole.phases[i], input);
    compute_gradients(parts.phases[i], input);
    const auto expected = whole.phases[i].optimizer->parameters();
    for (const auto& [name, parameter] : parts.phases[i].optimizer->parameters()) {
      EXPECT_TRUE(at::allclose(parameter.grad(), expected.at(name).grad(), 0, 1e-12)) << name;
    }
  }
}

// Of the same fakes, the losses would differ by the mean logit: softplus(-x) = softplus(x) - x.
TEST(BuildPhases, DrawsOtherFakesForEachNetwork) {
  Phases run(alone("dcgan"));
  run.replica->discriminator().eval();  // no dropout
  const StepInput input{.real = {at::zeros({4, 1, 32, 32}, at::kDouble), {}},
                        .images = {.seed = 1}};
  const PhaseLoss generator = run.phases[0].losses.front()(input);
  const PhaseLoss fakes = run.phases[1].losses.front()(input);
  const at::Tensor of_same_fakes = fakes.total - fakes.statistics.at("logit/fake");
  EXPECT_GT((generator.total - of_same_fakes).abs().item<double>(), 1e-9);
}

TEST(BuildPhases, SharesTheFakesOfAllPassesWithTheDiscriminator) {
  const StepInput input{.real = {at::zeros({4, 1, 32, 32}, at::kDouble), {}},
                        .images = {.seed = 1}};
  Phases whole(alone("dcgan", "loss: {fakes: shared}\n"));
  Phases parts(
      "model: {name: dcgan, z_dim: 4, batch_norm: frozen}\nloss: {fakes: shared}\n"
      "training: {batch: 4, accumulate: 2, precision: fp64}\n");
  const auto fakes = compute_gradients(whole.phases[0], input).fakes;
  ASSERT_TRUE(fakes);
  const auto of_parts = compute_gradients(parts.phases[0], input).fakes;
  EXPECT_TRUE(at::allclose(of_parts->images, fakes->images, 0, 1e-12));
  EXPECT_FALSE(of_parts->labels.defined());
  EXPECT_FALSE(compute_gradients(whole.phases[1], input).fakes);
}

TEST(BuildPhases, GivesAFakeTheLabelOfItsReal) {
  Phases run(alone("conditional_dcgan"), /*label_count=*/4);
  const auto loss = [&](const at::Tensor& labels) {
    const StepInput input{.real = {at::zeros({4, 1, 32, 32}, at::kDouble), labels},
                          .images = {.seed = 1}};
    return run.phases[0].losses.front()(input).total.item<double>();
  };
  EXPECT_EQ(loss(at::arange(4)), loss(at::arange(4)));
  EXPECT_GT(std::abs(loss(at::arange(4)) - loss(at::arange(4).flip(0))), 1e-9);
}

/// Fills what begins as zero: without the last layers of R3GAN's blocks, others have no gradient.
void fill_zeros(const torch::nn::Module& network) {
  for (const at::Tensor& parameter : network.parameters()) {
    if (parameter.any().item<bool>()) continue;
    const at::Tensor numbers = at::arange(1, parameter.numel() + 1, at::kDouble).mul(0.37).sin();
    parameter.detach().copy_(numbers.mul(0.3).view_as(parameter));
  }
}

/// Returns the gradients of Dmain, flat. discriminator: keys of its section.
at::Tensor discriminator_gradients(const std::string& sections, const std::string& discriminator) {
  Phases run(
      sections + "training: {batch: 4, precision: fp64}\ndiscriminator: {" + discriminator + "}\n",
      /*label_count=*/4);
  fill_zeros(run.replica->discriminator());
  const at::Tensor real = at::arange(4 * 32 * 32, at::kDouble).mul(0.37).sin().view({4, 1, 32, 32});
  const auto phase = std::ranges::find(run.phases, "Dmain", &Phase::name);
  compute_gradients(*phase, {.real = {real, at::arange(4)}, .images = {.seed = 1}});
  for (const auto& [name, parameter] : phase->optimizer->parameters())
    EXPECT_TRUE(parameter.grad().any().item<bool>()) << name;
  return at::cat(run.discriminator->buckets());
}

void expect_same_gradients_of_joined_batches(const std::string& sections,
                                             const std::string& discriminator = "") {
  const at::Tensor joined =
      discriminator_gradients(sections, discriminator + "joined_batches: true");
  const at::Tensor apart =
      discriminator_gradients(sections, discriminator + "joined_batches: false");
  EXPECT_TRUE(at::allclose(joined, apart, 1e-9, 1e-12));
}

TEST(BuildPhases, GivesJoinedBatchesTheGradientsOfBatchesApart) {
  expect_same_gradients_of_joined_batches(
      "model: {name: stylegan2, conditional: true, channel_base: 64, channel_max: 8, w_dim: 8, "
      "mapping_layers: 1, mbstd_group: 2}\n");
}

TEST(BuildPhases, GivesJoinedPairsAndTheirPenaltiesTheGradientsOfBatchesApart) {
  expect_same_gradients_of_joined_batches(
      "model: {name: r3gan, conditional: true, z_dim: 4, channel_base: 64, channel_max: 4, "
      "group_channels: 4, blocks: [1, 1, 1, 1]}\n"
      "loss: {name: relativistic}\n",
      "r1_gamma: 1, r2_gamma: 1, penalty_phase: main, ");
}

TEST(BuildPhases, JoinsBatchesForSpeedIfTheLayoutDoes) {
  using models::BatchJoining;
  const RunConfig fitted = parse("training: {batch: 4}\n");
  const RunConfig plain = parse("training: {batch: 4, layout: plain}\n");
  EXPECT_TRUE(joins_batches(fitted, BatchJoining::kForSpeed, at::kCUDA));
  EXPECT_FALSE(joins_batches(fitted, BatchJoining::kForSpeed, at::kCPU));
  EXPECT_FALSE(joins_batches(plain, BatchJoining::kForSpeed, at::kCUDA));
  EXPECT_TRUE(
      joins_batches(plain, BatchJoining::kByDefault, at::kCPU));  // else it trains otherwise
  EXPECT_FALSE(joins_batches(fitted, BatchJoining::kNone, at::kCUDA));
}

TEST(BuildPhases, RefusesToJoinBatchesIfImagesAreMixed) {
  expect_error(ExitCode::kConfig, "the discriminator of dcgan scores one batch at a time",
               [] { Phases("discriminator: {joined_batches: true}\ntraining: {batch: 4}\n"); });
}

/// Returns the running mean of path lengths after one phase of 4 / batch_shrink images.
double path_length(int batch_shrink, std::int64_t images_seen) {
  Phases run(std::string(kStylegan2) + "generator: {path_length_weight: 2, " +
             "path_length_batch_shrink: " + std::to_string(batch_shrink) + "}\n");
  const StepInput input{.real = {at::zeros({4, 1, 32, 32}), {}},
                        .images = image_random(SeedMode::kImage, 1, 0, 1, images_seen)};
  return compute_gradients(run.phases[1], input).statistics.at("path_length").item<double>();
}

TEST(BuildPhases, MeasuresThePathLengthsOfTheFirstImagesOfABatch) {
  const double of_first = path_length(/*batch_shrink=*/4, /*images_seen=*/0);
  const double of_second = path_length(/*batch_shrink=*/4, /*images_seen=*/1);
  EXPECT_GT(std::abs(of_first / of_second - 1), 1e-3);
  EXPECT_NEAR(path_length(/*batch_shrink=*/2, /*images_seen=*/0), (of_first + of_second) / 2,
              1e-4 * of_first);
}

TEST(BuildPhases, NamesTheStatisticsThatTheLossesReport) {
  for (const std::string& yaml :
       {std::string("training: {batch: 4}\n"),
        std::string("training: {batch: 4}\ngenerator: {orthogonality_weight: 1e-4}\n"),
        std::string("training: {batch: 4}\nmodel: {name: wgan}\nloss: {name: wasserstein}\n"),
        std::string("training: {batch: 4}\nmodel: {name: wgan}\n"
                    "loss: {name: wasserstein, weight_clip: 0.1}\n"),
        std::string("training: {batch: 4}\nmodel: {name: wgan}\nloss: {name: hinge, "
                    "gradient_penalty: 1}\n"),
        std::string(kR3gan),
        std::string(kStylegan2) + "discriminator: {r1_gamma: 1, r2_gamma: 1}\n",
        std::string(kStylegan2) +
            "generator: {path_length_weight: 2}\ndiscriminator: {r1_gamma: 1}\n"}) {
    Phases run(yaml);
    const StepInput input{.real = {at::zeros({4, 1, 32, 32}), {}}, .images = {.seed = 1}};
    for (Phase& phase : run.phases) {
      Names reported;
      for (const auto& [name, value] : compute_gradients(phase, input).statistics)
        reported.push_back(name);
      Names named = phase.statistics;
      std::ranges::sort(named);
      EXPECT_EQ(reported, named) << phase.name << " of " << yaml;
    }
  }
}

}  // namespace
}  // namespace ganscale::training
