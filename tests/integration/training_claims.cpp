#include "integration/training_claims.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "comm/thread_group.h"
#include "training/precision.h"
#include "training/synchronous.h"

namespace ganscale::training {
namespace {

constexpr std::int64_t kBatch = 4;
constexpr int kLabels = 3;

RunConfig complete(RunConfig config, Precision precision) {
  config.model.channels = 1;
  config.model.label_count = models::takes_labels(config.model) ? kLabels : 0;
  config.training.precision = precision;
  config.comm.bucket_bytes = 100'000;  // several buckets
  return config;
}

RunConfig make_config(const std::string& model, models::BatchNormMode batch_norm,
                      Precision precision) {
  RunConfig config = parse_run(config::parse_yaml("model: {name: " + model + "}", "test"));
  config.model.batch_norm = batch_norm;
  config.training.batch = kBatch;
  return complete(std::move(config), precision);
}

/// Every phase, styles mixed, noise drawn; four ranks have two images each, groups of four.
RunConfig make_stylegan2_config(const std::string& more_of_model) {
  const auto yaml = config::parse_yaml(
      "model: {name: stylegan2, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: 8, "
      "mapping_layers: 2" +
          more_of_model +
          "}\n"
          "training: {batch: 8}\n"
          "generator: {optimizer: {learning_rate: 0.002, betas: [0, 0.99]}, path_length_weight: "
          "2}\n"
          "discriminator: {optimizer: {learning_rate: 0.002, betas: [0, 0.99]}, r1_gamma: 1, "
          "r1_interval: 4}\n",
      "test");
  return complete(parse_run(yaml), Precision::kFp64);
}

/// Pictures and labels that belong to the image numbers, as a data plan deals them.
StepInput make_input(const RunConfig& config, const comm::Group& group, std::int64_t images_seen) {
  const auto images = image_random(SeedMode::kImage, 7, group.rank(), group.size(), images_seen);
  const std::int64_t N = config.training.batch / group.size();
  const auto options = at::TensorOptions().dtype(parameter_dtype(config.training.precision));
  const auto uniform =
      kernels::random_uniform(images, Stream::kEvaluate, 0, {N, 1, 32, 32}, options);
  data::Batch batch{.images = uniform * 2 - 1, .labels = {}};
  if (config.model.label_count > 0) {
    batch.labels = kernels::random_labels(images, Stream::kEvaluate, 1, kLabels, N);
  }
  return {.real = batch, .images = images};
}

/// A rank's replica and what moves it.
struct Trainee {
  Trainee(const RunConfig& config, comm::Group& world)
      : group(world),
        norm_group(
            world.split(models::statistics_color(config.model, config.training.batch, world))),
        path_length_group(world.split(0)),
        replica(config, at::kCPU, {norm_group.get(), path_length_group.get()}),
        scheme(config, replica, world),
        config(config) {}

  void train(int steps) {
    const std::int64_t batch = config.training.batch;
    for (; progress.step < steps; ++progress.step, progress.images_seen += batch) {
      const auto result = scheme.step(make_input(config, group, progress.images_seen), progress);
      EXPECT_TRUE(result.skipped.empty());
    }
  }

  comm::Group& group;
  std::unique_ptr<comm::Group> norm_group;
  std::unique_ptr<comm::Group> path_length_group;
  Replica replica;
  Synchronous scheme;
  const RunConfig& config;
  Progress progress;
};

/// Returns all gradients as one vector. A part alone may be a small difference of large numbers: at
/// first D gives reals and fakes the same score, and the gradients of its biases all but cancel.
at::Tensor all_gradients(const torch::nn::Module& network) {
  std::vector<at::Tensor> gradients;
  for (const auto& [name, parameter] : named_parameters(network))
    gradients.push_back(parameter.grad().flatten());
  return at::cat(gradients);
}

void expect_close(const at::Tensor& actual, const at::Tensor& expected, double tolerance) {
  EXPECT_LE((actual - expected).norm().item<double>(), tolerance * expected.norm().item<double>());
}

void expect_same_state_as_one_rank(comm::Group& group, const RunConfig& config, int steps) {
  const auto single = comm::make_single_group();
  Trainee one(config, *single);
  Trainee many(config, group);
  one.train(steps);
  many.train(steps);
  const auto expected = one.replica.state();
  for (const auto& [file, tensors] : many.replica.state()) {
    for (const auto& [name, tensor] : tensors) {
      EXPECT_TRUE(at::allclose(tensor, expected.at(file).at(name), 0, 1e-9))
          << file << ": " << name;
    }
  }
}

void expect_same_dcgan_as_on_one_rank(comm::Group& group, const std::string& model,
                                      models::BatchNormMode mode) {
  expect_same_state_as_one_rank(group, make_config(model, mode, Precision::kFp64), 20);
}

void dcgan_with_synchronised_batch_norm(comm::Group& group) {
  expect_same_dcgan_as_on_one_rank(group, "dcgan", models::BatchNormMode::kSynchronised);
}

void conditional_dcgan_with_synchronised_batch_norm(comm::Group& group) {
  expect_same_dcgan_as_on_one_rank(group, "conditional_dcgan",
                                   models::BatchNormMode::kSynchronised);
}

void dcgan_with_frozen_batch_norm(comm::Group& group) {
  expect_same_dcgan_as_on_one_rank(group, "dcgan", models::BatchNormMode::kFrozen);
}

void stylegan2(comm::Group& group) {
  expect_same_state_as_one_rank(group, make_stylegan2_config(""), 10);
}

void conditional_stylegan2(comm::Group& group) {
  expect_same_state_as_one_rank(
      group, make_stylegan2_config(", conditional: true, discriminator: skip"), 10);
}

void adaptive_augmentation(comm::Group& group) {
  RunConfig config = make_config("dcgan", models::BatchNormMode::kFrozen, Precision::kFp64);
  config.augment.method = augment::Method::kAda;
  config.augment.pipeline = augment::ada_pipeline({"bgcfnc"});
  config.augment.p = 0.5;
  config.augment.adaptation.interval_steps = 3;
  config.augment.adaptation.speed_kimg = 0.2;
  expect_same_state_as_one_rank(group, config, 20);
}

void frozen_discriminator_layers(comm::Group& group) {
  RunConfig config = make_config("dcgan", models::BatchNormMode::kFrozen, Precision::kFp64);
  Replica untrained(config, at::kCPU, {});
  const auto before = named_parameters(untrained.discriminator());
  config.discriminator.freeze = {before.begin()->first};
  Trainee trainee(config, group);
  trainee.train(3);
  for (const auto& [name, parameter] : named_parameters(trainee.replica.discriminator())) {
    const bool frozen = name == before.begin()->first;
    EXPECT_EQ(at::equal(parameter, before.at(name)), frozen) << name;
  }
}

void diff_augment(comm::Group& group) {
  RunConfig config = make_config("dcgan", models::BatchNormMode::kFrozen, Precision::kFp64);
  config.augment.method = augment::Method::kDiffAugment;
  config.augment.policy = augment::diff_augment_policy({"color", "translation", "cutout"});
  expect_same_state_as_one_rank(group, config, 20);
}

void first_gradients_in_float32(comm::Group& group) {
  const RunConfig config = make_config("dcgan", models::BatchNormMode::kFrozen, Precision::kFp32);
  const auto single = comm::make_single_group();
  Trainee one(config, *single);
  Trainee many(config, group);
  one.train(1);
  many.train(1);
  expect_close(all_gradients(many.replica.discriminator()),
               all_gradients(one.replica.discriminator()), 1e-5);
  expect_close(all_gradients(many.replica.generator()), all_gradients(one.replica.generator()),
               1e-5);
}

void replicas_stay_the_same_with_local_batch_norm(comm::Group& group) {
  const RunConfig config = make_config("dcgan", models::BatchNormMode::kLocal, Precision::kFp32);
  Trainee trainee(config, group);
  trainee.train(3);
  for (const auto& [file, tensors] : trainee.replica.state()) {
    for (const auto& [name, tensor] : tensors) {
      const auto all = group.all_gather(tensor.detach().contiguous());
      for (int rank = 1; rank < group.size(); ++rank)
        EXPECT_TRUE(at::equal(all[0], all[rank])) << file << ": " << name;
    }
  }
}

}  // namespace

std::vector<comm::GroupClaim> training_claims() {
  return {{"DcganWithSynchronisedBatchNormIsThatOfOneRank", dcgan_with_synchronised_batch_norm},
          {"ConditionalDcganIsThatOfOneRank", conditional_dcgan_with_synchronised_batch_norm},
          {"DcganWithFrozenBatchNormIsThatOfOneRank", dcgan_with_frozen_batch_norm},
          {"AdaptiveAugmentationIsThatOfOneRank", adaptive_augmentation},
          {"FrozenDiscriminatorLayersKeepTheirWeights", frozen_discriminator_layers},
          {"DiffAugmentIsThatOfOneRank", diff_augment},
          {"Stylegan2IsThatOfOneRank", stylegan2},
          {"ConditionalStylegan2IsThatOfOneRank", conditional_stylegan2},
          {"FirstGradientsInFloat32AreThoseOfOneRank", first_gradients_in_float32},
          {"ReplicasStayTheSameWithLocalBatchNorm", replicas_stay_the_same_with_local_batch_norm}};
}

}  // namespace ganscale::training
