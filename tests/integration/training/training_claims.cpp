#include "integration/training/training_claims.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "comm/backends/thread_group.h"
#include "integration/training/trainee.h"
#include "support/thorough.h"

namespace ganscale::training {
namespace {

/// Rank 0 trains alone, too, and gives its state to the others.
void expect_same_state_as_one_rank(comm::Group& group, const RunConfig& config, int steps) {
  Trainee many(config, group);
  many.train(steps);
  std::map<std::string, NamedTensors> expected;
  if (group.rank() == 0) {
    const auto single = comm::make_single_group();
    Trainee one(config, *single);
    one.train(steps);
    expected = one.replica().state();
  }
  for (const auto& [file, tensors] : many.replica().state()) {
    for (const auto& [name, tensor] : tensors) {
      const at::Tensor of_one = group.rank() == 0 ? expected.at(file).at(name).detach().contiguous()
                                                  : at::empty(tensor.sizes(), tensor.options());
      group.broadcast(of_one, 0);
      EXPECT_TRUE(at::allclose(tensor, of_one, 0, 1e-9)) << file << ": " << name;
    }
  }
}

/// Steps after which what a mistake changes has grown; more of them in `make check-long`.
const int kManySteps = thorough(20, 6);

void expect_same_dcgan_as_on_one_rank(comm::Group& group, const std::string& model,
                                      const char* batch_norm) {
  expect_same_state_as_one_rank(group, make_config(model, batch_norm, Precision::kFp64),
                                kManySteps);
}

void a_model_that_a_test_adds(comm::Group& group) {
  expect_same_state_as_one_rank(group, make_tiny_config(Precision::kFp64), kManySteps);
}

void dcgan_with_synchronized_batch_norm(comm::Group& group) {
  expect_same_dcgan_as_on_one_rank(group, "dcgan", "synchronized");
}

void conditional_dcgan_with_synchronized_batch_norm(comm::Group& group) {
  expect_same_dcgan_as_on_one_rank(group, "conditional_dcgan", "synchronized");
}

void dcgan_with_frozen_batch_norm(comm::Group& group) {
  expect_same_dcgan_as_on_one_rank(group, "dcgan", "frozen");
}

/// Twelve images, and the path lengths of three: four ranks have one, one, one and none of them.
void stylegan2_with_unevenly_shared_path_lengths(comm::Group& group) {
  RunConfig config = make_stylegan2_config("", Precision::kFp64);
  config.training.batch = 12;
  config.generator.path_length.batch_shrink = 4;
  expect_same_state_as_one_rank(group, config, 6);
}

void stylegan2_with_one_group_of_fewer_images(comm::Group& group) {
  RunConfig config = make_stylegan2_config(", mbstd_group: 32", Precision::kFp64);
  config.training.batch = 4;
  expect_same_state_as_one_rank(group, config, 5);
}

void expect_same_bits(Trainee& actual, Trainee& expected) {
  const auto state = expected.replica().state();
  for (const auto& [file, tensors] : actual.replica().state()) {
    for (const auto& [name, tensor] : tensors)
      EXPECT_TRUE(at::equal(tensor, state.at(file).at(name))) << file << ": " << name;
  }
}

/// What a GPU records reads each step's images and numbers from one place; a CPU does it each time.
void expect_same_if_captured(comm::Group& group, RunConfig config) {
  config.training.cuda_graphs = true;
  Trainee recorded(config, group);
  recorded.train(6);
  config.training.cuda_graphs = false;
  Trainee ordinary(config, group);
  ordinary.train(6);
  expect_same_bits(recorded, ordinary);
}

void captured_stylegan2(comm::Group& group) {
  expect_same_if_captured(group, make_stylegan2_config("", Precision::kFp64));
}

/// Schedules move beta2 and the weights of penalties between two replays.
void captured_r3gan(comm::Group& group) {
  RunConfig config = make_r3gan_config("", Precision::kFp64);
  config.augment = {};  // no graph contains ADA
  expect_same_if_captured(group, config);
}

void stylegan2(comm::Group& group) {
  expect_same_state_as_one_rank(group, make_stylegan2_config("", Precision::kFp64),
                                thorough(10, 5));
}

void conditional_stylegan2(comm::Group& group) {
  expect_same_state_as_one_rank(
      group, make_stylegan2_config(", conditional: true, discriminator: skip", Precision::kFp64),
      thorough(10, 5));
}

/// As in the code of Lupo Pasini et al.
void conditional_dcgan_with_shared_fakes(comm::Group& group) {
  RunConfig config = make_config("conditional_dcgan", "synchronized", Precision::kFp64);
  config.loss = {.shares_fakes = true, .uniform_labels = true};
  expect_same_state_as_one_rank(group, config, kManySteps);
}

void stylegan3(comm::Group& group) {
  expect_same_state_as_one_rank(group, make_stylegan3_config(Precision::kFp64), 6);
}

void biggan(comm::Group& group) {
  expect_same_state_as_one_rank(group, make_biggan_config("", Precision::kFp64), thorough(6, 4));
}

/// Each pass takes a half of every rank's images, the same images as on one rank.
void biggan_in_two_passes_a_step(comm::Group& group) {
  expect_same_state_as_one_rank(group, make_biggan_config(", accumulate: 2", Precision::kFp64),
                                thorough(6, 4));
}

void r3gan(comm::Group& group) {
  expect_same_state_as_one_rank(group, make_r3gan_config("", Precision::kFp64), 6);
}

/// In the middle of all its schedules.
void resumed_r3gan(comm::Group& group) {
  const RunConfig config = make_r3gan_config("", Precision::kFp32);
  Trainee whole(config, group);
  whole.train(3);
  Trainee resumed(config, group);
  resumed.resume_from(whole);
  whole.train(6);
  resumed.train(6);
  expect_same_bits(resumed, whole);
}

void r3gan_in_two_passes_a_step(comm::Group& group) {
  expect_same_state_as_one_rank(group, make_r3gan_config(", accumulate: 2", Precision::kFp64), 4);
}

void expect_same_with_adaptive_augmentation(comm::Group& group, RunConfig config, int steps) {
  config.augment.method = augment::Method::kAda;
  config.augment.pipeline = augment::ada_pipeline({"bgcfnc"});
  config.augment.p = 0.5;
  config.augment.adaptation.interval_steps = 3;
  config.augment.adaptation.speed_kimg = 0.2;
  expect_same_state_as_one_rank(group, config, steps);
}

void adaptive_augmentation(comm::Group& group) {
  expect_same_with_adaptive_augmentation(group, make_config("dcgan", "frozen", Precision::kFp64),
                                         kManySteps);
}

/// R1 through the augmentation and groups of several ranks' images.
void adaptive_augmentation_of_stylegan2(comm::Group& group) {
  expect_same_with_adaptive_augmentation(
      group, make_stylegan2_config(", discriminator: orig", Precision::kFp64), 6);
}

void frozen_discriminator_layers(comm::Group& group) {
  RunConfig config = make_config("dcgan", "frozen", Precision::kFp64);
  Replica untrained(config, at::kCPU, {});
  const auto before = named_parameters(untrained.discriminator());
  config.discriminator.freeze = {before.begin()->first};
  Trainee trainee(config, group);
  trainee.train(3);
  for (const auto& [name, parameter] : named_parameters(trainee.replica().discriminator())) {
    const bool frozen = name == before.begin()->first;
    EXPECT_EQ(at::equal(parameter, before.at(name)), frozen) << name;
  }
}

void diff_augment(comm::Group& group) {
  RunConfig config = make_config("dcgan", "frozen", Precision::kFp64);
  config.augment.method = augment::Method::kDiffAugment;
  config.augment.policy = augment::diff_augment_policy({"color", "translation", "cutout"});
  expect_same_state_as_one_rank(group, config, kManySteps);
}

optim::NetworkPolicy policy(const std::string& yaml) {
  return optim::parse_network_policy(config::Section(config::parse_yaml(yaml, "test")));
}

/// Norms of tensors and of the whole gradient, and rounds of updates.
void optimizers_that_look_at_norms(comm::Group& group) {
  RunConfig config = make_config("dcgan", "frozen", Precision::kFp64);
  config.generator.policy = policy("{name: lookahead, interval: 3, inner: {name: lamb}}");
  config.discriminator.policy =
      policy("{name: lars, learning_rate: 0.1, clipping: {name: global_norm, max_norm: 0.01}}");
  expect_same_state_as_one_rank(group, config, kManySteps);
}

/// 11 steps of the critic are three of the generator: 1, 6 and 11.
void expect_same_wgan_as_on_one_rank(comm::Group& group, const std::string& model,
                                     const losses::LossConfig& loss) {
  RunConfig config = make_config(model, "synchronized", Precision::kFp64);
  config.loss = loss;
  config.generator.policy.update_interval = loss.critic_steps;
  expect_same_state_as_one_rank(group, config, 11);
}

void wgan_with_gradient_penalty(comm::Group& group) {
  expect_same_wgan_as_on_one_rank(
      group, "conditional_wgan",
      {.kind = losses::Adversarial::kWasserstein, .critic_steps = 5, .gradient_penalty = 10});
}

void wgan_with_clipped_weights(comm::Group& group) {
  expect_same_wgan_as_on_one_rank(
      group, "wgan",
      {.kind = losses::Adversarial::kWasserstein, .critic_steps = 5, .weight_clip = 0.01});
}

void first_gradients_in_float32(comm::Group& group) {
  const RunConfig config = make_config("dcgan", "frozen", Precision::kFp32);
  const auto single = comm::make_single_group();
  Trainee one(config, *single);
  Trainee many(config, group);
  one.train(1);
  many.train(1);
  expect_close(all_gradients(many.replica().discriminator()),
               all_gradients(one.replica().discriminator()), 1e-5);
  expect_close(all_gradients(many.replica().generator()), all_gradients(one.replica().generator()),
               1e-5);
}

// Every layer rounds to 2^-9 of its values, forth and back through both networks; batch norm over
// four images and the rectifiers' bends enlarge that to some 15% of a gradient.
void expect_bf16_near_float32(comm::Group& group, const std::string& model) {
  constexpr double kTolerance = 0.25;
  const char* batch_norm = "synchronized";
  const RunConfig narrow = make_config(model, batch_norm, Precision::kBf16);
  const RunConfig wide = make_config(model, batch_norm, Precision::kFp32);
  Trainee in_bf16(narrow, group);
  Trainee in_float32(wide, group);
  in_bf16.train(1);
  in_float32.train(1);
  expect_close(all_gradients(in_bf16.replica().discriminator()),
               all_gradients(in_float32.replica().discriminator()), kTolerance);
  expect_close(all_gradients(in_bf16.replica().generator()),
               all_gradients(in_float32.replica().generator()), kTolerance);
  in_bf16.train(3);
  for (const auto& [file, tensors] : in_bf16.replica().state()) {
    for (const auto& [name, tensor] : tensors)
      EXPECT_TRUE(at::isfinite(tensor).all().item<bool>()) << file << ": " << name;
  }
}

void dcgan_in_bf16(comm::Group& group) { expect_bf16_near_float32(group, "dcgan"); }

void conditional_dcgan_in_bf16(comm::Group& group) {
  expect_bf16_near_float32(group, "conditional_dcgan");
}

/// Both networks' gradients after the first step of all phases, of all layers in this type.
at::Tensor stylegan2_gradients(comm::Group& group, std::optional<at::ScalarType> low_precision_type,
                               int seed) {
  RunConfig config = make_stylegan2_config(", low_precision_resolutions: 8", Precision::kFp32);
  config.training.seed = seed;
  config.model.low_precision_type = low_precision_type;
  Trainee trainee(config, group);
  trainee.train(1);
  return at::cat({all_gradients(trainee.replica().generator()),
                  all_gradients(trainee.replica().discriminator())});
}

double relative_error(const at::Tensor& actual, const at::Tensor& expected) {
  return ((actual - expected).norm() / expected.norm()).item<double>();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Eleven and eight bits of a number, through some twenty layers. Where rounding moves one value
// across a rectifier's bend, gradients of second order jump by several percent, and which values it
// moves depends on the processor: hence the median of five seeds.
void stylegan2_in_low_precision(comm::Group& group) {
  std::vector<double> half;
  std::vector<double> bf16;
  for (int seed = 1; seed <= 5; ++seed) {
    const at::Tensor expected = stylegan2_gradients(group, std::nullopt, seed);
    half.push_back(relative_error(stylegan2_gradients(group, at::kHalf, seed), expected));
    bf16.push_back(relative_error(stylegan2_gradients(group, at::kBFloat16, seed), expected));
  }
  EXPECT_LE(median(half), 0.05);
  EXPECT_LE(median(bf16), 0.15);
}

void replicas_stay_the_same_with_local_batch_norm(comm::Group& group) {
  const RunConfig config = make_config("dcgan", "local", Precision::kFp32);
  Trainee trainee(config, group);
  trainee.train(3);
  for (const auto& [file, tensors] : trainee.replica().state()) {
    for (const auto& [name, tensor] : tensors) {
      const auto all = group.all_gather(tensor.detach().contiguous());
      for (int rank = 1; rank < group.size(); ++rank)
        EXPECT_TRUE(at::equal(all[0], all[rank])) << file << ": " << name;
    }
  }
}

}  // namespace

std::vector<comm::GroupClaim> training_claims() {
  return {
      {"DcganWithSynchronizedBatchNormEqualsOneRank", dcgan_with_synchronized_batch_norm},
      {"ConditionalDcganEqualsOneRank", conditional_dcgan_with_synchronized_batch_norm},
      {"ConditionalDcganWithSharedFakesEqualsOneRank", conditional_dcgan_with_shared_fakes},
      {"AModelThatATestAddsEqualsOneRank", a_model_that_a_test_adds},
      {"DcganWithFrozenBatchNormEqualsOneRank", dcgan_with_frozen_batch_norm},
      {"AdaptiveAugmentationEqualsOneRank", adaptive_augmentation},
      {"AdaptiveAugmentationOfStylegan2EqualsOneRank", adaptive_augmentation_of_stylegan2},
      {"BigganEqualsOneRank", biggan},
      {"BigganInTwoPassesAStepEqualsOneRank", biggan_in_two_passes_a_step},
      {"R3ganEqualsOneRank", r3gan},
      {"ResumedR3ganGivesTheBitsOfTheUninterruptedOne", resumed_r3gan},
      {"R3ganInTwoPassesAStepEqualsOneRank", r3gan_in_two_passes_a_step},
      {"FrozenDiscriminatorLayersKeepTheirWeights", frozen_discriminator_layers},
      {"DiffAugmentEqualsOneRank", diff_augment},
      {"OptimizersThatUseNormsEqualOneRank", optimizers_that_look_at_norms},
      {"WganWithGradientPenaltyEqualsOneRank", wgan_with_gradient_penalty},
      {"WganWithClippedWeightsEqualsOneRank", wgan_with_clipped_weights},
      {"Stylegan2EqualsOneRank", stylegan2},
      {"ConditionalStylegan2EqualsOneRank", conditional_stylegan2},
      {"Stylegan2WithUnevenlySharedPathLengthsEqualsOneRank",
       stylegan2_with_unevenly_shared_path_lengths},
      {"Stylegan2WithOneGroupOfFewerImagesEqualsOneRank", stylegan2_with_one_group_of_fewer_images},
      {"Stylegan3EqualsOneRank", stylegan3},
      {"CapturedStylegan2EqualsTheEagerOne", captured_stylegan2},
      {"CapturedR3ganEqualsTheEagerOne", captured_r3gan},
      {"FirstGradientsInFloat32EqualOneRank", first_gradients_in_float32},
      {"DcganInBf16IsNearFloat32", dcgan_in_bf16},
      {"ConditionalDcganInBf16IsNearFloat32", conditional_dcgan_in_bf16},
      {"Stylegan2InLowPrecisionIsNearFloat32", stylegan2_in_low_precision},
      {"ReplicasStayTheSameWithLocalBatchNorm", replicas_stay_the_same_with_local_batch_norm}};
}

}  // namespace ganscale::training
