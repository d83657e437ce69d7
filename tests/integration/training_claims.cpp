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

RunConfig make_config(const std::string& model, models::BatchNormMode batch_norm,
                      Precision precision) {
  RunConfig config = parse_run(config::parse_yaml("model: {name: " + model + "}", "test"));
  config.model.batch_norm = batch_norm;
  config.model.channels = 1;
  config.model.label_count = models::is_conditional(model) ? kLabels : 0;
  config.training.batch = kBatch;
  config.training.precision = precision;
  config.comm.bucket_bytes = 100'000;  // several buckets
  return config;
}

/// Pictures and labels that belong to the image numbers, as a data plan deals them.
StepInput make_input(const RunConfig& config, const comm::Group& group, std::int64_t images_seen) {
  const auto images = image_random(SeedMode::kImage, 7, group.rank(), group.size(), images_seen);
  const std::int64_t N = kBatch / group.size();
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
        norm_group(world.split(0)),
        replica(config, at::kCPU, norm_group.get()),
        scheme(config, replica, world),
        config(config) {}

  void train(int steps) {
    for (; progress.step < steps; ++progress.step, progress.images_seen += kBatch) {
      const auto result = scheme.step(make_input(config, group, progress.images_seen), progress);
      EXPECT_TRUE(result.skipped.empty());
    }
  }

  comm::Group& group;
  std::unique_ptr<comm::Group> norm_group;
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

void expect_same_state_as_one_rank(comm::Group& group, const RunConfig& config) {
  const auto single = comm::make_single_group();
  Trainee one(config, *single);
  Trainee many(config, group);
  one.train(20);
  many.train(20);
  const auto expected = one.replica.state();
  for (const auto& [file, tensors] : many.replica.state()) {
    for (const auto& [name, tensor] : tensors) {
      EXPECT_TRUE(at::allclose(tensor, expected.at(file).at(name), 0, 1e-9))
          << file << ": " << name;
    }
  }
}

void dcgan_with_synchronised_batch_norm(comm::Group& group) {
  expect_same_state_as_one_rank(
      group, make_config("dcgan", models::BatchNormMode::kSynchronised, Precision::kFp64));
}

void conditional_dcgan_with_synchronised_batch_norm(comm::Group& group) {
  expect_same_state_as_one_rank(
      group,
      make_config("conditional_dcgan", models::BatchNormMode::kSynchronised, Precision::kFp64));
}

void dcgan_with_frozen_batch_norm(comm::Group& group) {
  expect_same_state_as_one_rank(
      group, make_config("dcgan", models::BatchNormMode::kFrozen, Precision::kFp64));
}

void adaptive_augmentation(comm::Group& group) {
  RunConfig config = make_config("dcgan", models::BatchNormMode::kFrozen, Precision::kFp64);
  config.augment.method = augment::Method::kAda;
  config.augment.pipeline = augment::ada_pipeline({"bgcfnc"});
  config.augment.p = 0.5;
  config.augment.adaptation.interval_steps = 3;
  config.augment.adaptation.speed_kimg = 0.2;
  expect_same_state_as_one_rank(group, config);
}

void frozen_discriminator_layers(comm::Group& group) {
  RunConfig config = make_config("dcgan", models::BatchNormMode::kFrozen, Precision::kFp64);
  Replica untrained(config, at::kCPU, nullptr);
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
  expect_same_state_as_one_rank(group, config);
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
          {"FirstGradientsInFloat32AreThoseOfOneRank", first_gradients_in_float32},
          {"ReplicasStayTheSameWithLocalBatchNorm", replicas_stay_the_same_with_local_batch_norm}};
}

}  // namespace ganscale::training
