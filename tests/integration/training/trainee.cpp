#include "integration/training/trainee.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "training/run/parse_run.h"
#include "unit/models/tiny_model.h"

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

}  // namespace

RunConfig make_config(const std::string& model, const std::string& batch_norm,
                      Precision precision) {
  RunConfig config = parse_run(config::parse_yaml(
      "model: {name: " + model + ", channels: 0.125, batch_norm: " + batch_norm + "}", "test"));
  config.training.batch = kBatch;
  return complete(std::move(config), precision);
}

RunConfig make_tiny_config(Precision precision) {
  const auto models = models::models_and_tiny();
  RunConfig config = parse_run(config::parse_yaml("model: {name: tiny}", "test"), {}, models);
  config.training.batch = kBatch;
  return complete(std::move(config), precision);
}

RunConfig make_biggan_config(const std::string& more_of_training, Precision precision) {
  const auto yaml = config::parse_yaml(
      "model: {name: biggan, generator_channels: 2, discriminator_channels: 2, z_dim: 8, "
      "shared_dim: 4, batch_norm: synchronized}\n"
      "training: {batch: 8" +
          more_of_training +
          "}\n"
          "loss: {name: hinge, first: discriminator, critic_steps: 2}\n"
          "generator: {orthogonality_weight: 1e-4, ema_start_kimg: 0.02}\n",
      "test");
  return complete(parse_run(yaml), precision);
}

RunConfig make_r3gan_config(const std::string& more_of_training, Precision precision) {
  const auto yaml = config::parse_yaml(
      "model: {name: r3gan, conditional: true, z_dim: 4, label_dim: 3, channel_base: 128, "
      "channel_max: 8, group_channels: 8, blocks: [1, 1, 1, 1]}\n"
      "training: {batch: 8" +
          more_of_training +
          "}\n"
          "loss: {name: relativistic}\n"
          "generator: {optimizer: {betas: [0, 0.9], schedule: {name: cosine, kimg: 0.1}, "
          "beta2_schedule: {name: cosine, final: 0.99, kimg: 0.1}}, ema_kimg: 0, "
          "ema_schedule: {name: cosine, final_kimg: 0.5, kimg: 0.1}}\n"
          "discriminator: {optimizer: {betas: [0, 0.9], "
          "beta2_schedule: {name: cosine, final: 0.99, kimg: 0.1}}, r1_gamma: 1, r2_gamma: 1, "
          "penalty_phase: main, gamma_schedule: {name: cosine, final_fraction: 0.1, kimg: 0.1}}\n"
          "augment: {name: ada, pipeline: [blit, color, cutout], color_strength: 0.5, "
          "adaptive: false, p: 0.2, p_schedule: {name: linear, final: 0.8, kimg: 0.1}}\n",
      "test");
  return complete(parse_run(yaml), precision);
}

RunConfig make_stylegan2_config(const std::string& more_of_model, Precision precision) {
  const auto yaml = config::parse_yaml(
      "model: {name: stylegan2, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: 8, "
      "mapping_layers: 2" +
          more_of_model +
          "}\n"
          "training: {batch: 8}\n"
          "generator: {optimizer: {learning_rate: 0.002, betas: [0, 0.99]}, path_length_weight: "
          "2, other_ema_kimg: [0.02]}\n"
          "discriminator: {optimizer: {learning_rate: 0.002, betas: [0, 0.99]}, r1_gamma: 1, "
          "r1_interval: 4}\n",
      "test");
  return complete(parse_run(yaml), precision);
}

RunConfig make_stylegan3_config(Precision precision) {
  const auto yaml = config::parse_yaml(
      "model: {name: stylegan3, z_dim: 8, w_dim: 8, channel_base: 64, channel_max: 8, layers: 4, "
      "margin: 4, magnitude_beta: 0.9}\n"
      "training: {batch: 8}\n"
      "generator: {optimizer: {learning_rate: 0.0025, betas: [0, 0.99]}}\n"
      "discriminator: {optimizer: {learning_rate: 0.002, betas: [0, 0.99]}, r1_gamma: 1, "
      "r1_interval: 4, unpenalized: [b4.out.bias]}\n"
      "augment: {blur_sigma: 1, blur_fade_kimg: 0.04}\n",
      "test");
  return complete(parse_run(yaml), precision);
}

StepInput NumberedInputs::next(const Progress& progress) {
  const auto images =
      image_random(SeedMode::kImage, 7, world_.rank(), world_.size(), progress.images_seen);
  const std::int64_t N = config_.training.batch / world_.size();
  const auto options = at::TensorOptions().dtype(parameter_dtype(config_.training.precision));
  const auto uniform =
      kernels::random_uniform(images, Stream::kEvaluate, 0, {N, 1, 32, 32}, options);
  data::Batch batch{.images = (uniform * 2 - 1).to(device_), .labels = {}};
  if (config_.model.label_count > 0) {
    batch.labels = kernels::random_labels(images, Stream::kEvaluate, 1, kLabels, N).to(device_);
  }
  return {.real = batch, .images = images};
}

Trainee::Trainee(const RunConfig& config, comm::Group& world, const device::NetworkDevices& devices)
    : statistics_group_(world.split(
          config.model.blueprint->statistics_color(config.training.images_per_pass(), world))),
      path_length_group_(world.split(0)),
      replica_(config, devices, {statistics_group_.get(), path_length_group_.get()}),
      inputs_(config, world, devices.discriminator),
      trainer_(config, replica_, inputs_, world) {}

void Trainee::train(int steps) {
  while (progress_.step < steps) EXPECT_TRUE(trainer_.step(progress_).skipped.empty());
}

void Trainee::resume_from(Trainee& other) {
  const auto state = other.replica().state();
  for (const auto& [file, tensors] : replica_.state()) copy_into(tensors, state.at(file), file);
  progress_ = other.progress_;
}

at::Tensor all_gradients(const torch::nn::Module& network) {
  std::vector<at::Tensor> gradients;
  for (const auto& [name, parameter] : named_parameters(network))
    gradients.push_back(parameter.grad().flatten());
  return at::cat(gradients).cpu();
}

void expect_close(const at::Tensor& actual, const at::Tensor& expected, double tolerance) {
  EXPECT_LE((actual - expected).norm().item<double>(), tolerance * expected.norm().item<double>());
}

}  // namespace ganscale::training
