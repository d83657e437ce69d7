#include "training/replica/replica.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "base/error.h"
#include "base/joined.h"
#include "optim/network_policy.h"
#include "tensors/move_module.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

/// Returns the means of path lengths of a checkpoint's ranks; undefined if they shared one.
at::Tensor path_lengths_of_ranks(const checkpoint::Snapshot& snapshot) {
  const auto file = snapshot.files.find(kRegularizationOfRanks);
  if (file == snapshot.files.end()) return {};
  const auto means = file->second.find(kPathLengthMean);
  if (means != file->second.end() && means->second.dim() == 1) return means->second;
  throw DataError(std::string(kRegularizationOfRanks) +
                  " of the checkpoint lacks a vector: " + kPathLengthMean);
}

/// Throws DataError if a filter of a checkpoint is of another design than the built one, which it
/// would replace. Machines may round differently.
void require_same_filters(const NamedTensors& built, const NamedTensors& stored,
                          const std::string& what) {
  constexpr double kTolerance = 1e-5;  // of the largest tap
  for (const auto& [name, tensor] : built) {
    if (!is_filter(name)) continue;
    const auto found = stored.find(name);
    if (found == stored.end() || found->second.sizes() != tensor.sizes()) continue;
    const at::Tensor taps = tensor.to(at::kCPU, at::kDouble);
    const double difference = found->second.to(at::kDouble).sub(taps).abs().max().item<double>();
    if (difference <= kTolerance * taps.abs().max().item<double>()) continue;
    throw DataError(what + " has a filter of another design than the configuration says: " + name);
  }
}

/// Returns the seed of the initial weights; nullopt without memory for them, as they would be drawn
/// in vain.
std::optional<std::uint64_t> seed_of_weights(const RunConfig& config,
                                             const device::NetworkDevices& devices) {
  if (devices.generator.is_meta()) return std::nullopt;
  return config.training.seed;
}

[[noreturn]] void refuse_freeze(const DiscriminatorConfig& config, const std::string& why) {
  throw ConfigError(config.freeze_location.text() + ": discriminator.freeze: " + why);
}

/// Freezes the parameters whose names begin with one of the configured prefixes; returns the
/// others. Throws ConfigError for a prefix that no name begins with, and if all are frozen.
NamedTensors trained_parameters(const torch::nn::Module& network,
                                const DiscriminatorConfig& config) {
  const auto& prefixes = config.freeze;
  NamedTensors trained = named_parameters(network);
  for (const std::string& prefix : prefixes) {
    const auto matches = [&](const auto& item) { return item.first.starts_with(prefix); };
    if (std::ranges::any_of(trained, matches)) continue;
    refuse_freeze(config, "no parameter's name begins with: " + prefix + " (the first is " +
                              trained.begin()->first + ")");
  }
  std::erase_if(trained, [&](const auto& item) {
    const bool is_frozen = std::ranges::any_of(
        prefixes, [&](const std::string& prefix) { return item.first.starts_with(prefix); });
    if (is_frozen) item.second.set_requires_grad(false);
    return is_frozen;
  });
  if (!trained.empty()) return trained;
  refuse_freeze(config, "nothing is left to train: " + joined(prefixes));
}

}  // namespace

Replica::Replica(const RunConfig& config, const device::NetworkDevices& devices,
                 const ReplicaGroups& groups)
    : devices_(devices),
      networks_(models::build_networks(config.model, seed_of_weights(config, devices),
                                       groups.statistics)),
      augmentation_(config.augment, devices.discriminator) {
  const auto dtype = parameter_dtype(config.training.precision);
  move_module(generator(), devices.generator, dtype);
  move_module(discriminator(), devices.discriminator, dtype);
  const auto copy = [&] {
    auto average = models::build_generator(config.model, /*seed=*/std::nullopt, nullptr);
    move_module(*average, devices.generator, dtype);
    return average;
  };
  average_.emplace(copy(), networks_.generator, config.generator.ema, config.training.batch);
  for (const double kimg : config.generator.ema.others) average_->add_other(kimg, copy());
  generator_optimizer_ =
      optim::build_optimizer(config.generator.policy, named_parameters(generator()));
  discriminator_optimizer_ = optim::build_optimizer(
      config.discriminator.policy, trained_parameters(discriminator(), config.discriminator));
  if (config.generator.path_length.weight > 0) {
    path_length_mean_ = {at::zeros({}, at::TensorOptions(devices.generator).dtype(dtype)),
                         groups.path_length};
  }
}

std::map<std::string, NamedTensors> Replica::state() {
  std::map<std::string, NamedTensors> files = {
      {"generator", named_state(generator())},
      {"discriminator", named_state(discriminator())},
      {"generator_ema", named_state(average_->generator())},
      {"generator_optimizer", generator_optimizer_->state()},
      {"discriminator_optimizer", discriminator_optimizer_->state()}};
  for (const OtherAverage& other : average_->others()) {
    files[file_of_average(other.kimg)] = named_state(*other.generator);
  }
  if (const auto state = augmentation_.state(); !state.empty()) files[kAugmentation] = state;
  if (path_length_mean_.value.defined()) {
    files["regularisation"] = {{kPathLengthMean, path_length_mean_.value}};
  }
  return files;
}

void Replica::restore(const checkpoint::Snapshot& snapshot) {
  for (const auto& [file, tensors] : state()) {
    const auto found = snapshot.files.find(file);
    // A run may turn adaptation on later: then it begins as configured.
    if (found == snapshot.files.end() && file == kAugmentation) continue;
    if (found == snapshot.files.end()) throw DataError("the checkpoint lacks a file: " + file);
    require_same_filters(tensors, found->second, file + " of the checkpoint");
    copy_into(tensors, found->second, file + " of the checkpoint");
  }
  path_length_mean_.restored = path_lengths_of_ranks(snapshot);
}

NetworkGroups::NetworkGroups(const RunConfig& config, comm::Group& group)
    : statistics_(group.split(
          config.model.blueprint->statistics_color(config.training.images_per_pass(), group))) {
  if (config.training.running_means == RunningMeans::kAveraged) path_length_ = group.split(0);
}

void NetworkGroups::finish() {
  statistics_->finish();
  if (path_length_) path_length_->finish();
}

}  // namespace ganscale::training
