#include "training/schemes/asynchronous/role_trainer.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "comm/collectives/gather_text.h"
#include "comm/collectives/replicate.h"
#include "training/phases/step_inputs.h"
#include "training/run/precision.h"

namespace ganscale::training {
namespace {

NamedTensors blank_pairs(const RoleParts& parts) {
  const RunConfig& config = parts.config;
  if (!losses::adversarial_loss(config.loss.kind).is_of_pairs()) return {};
  const auto options = at::TensorOptions(parts.replica.devices().discriminator);
  const std::int64_t N = config.training.batch;
  NamedTensors pairs{
      {"logits", at::zeros({N}, options.dtype(parameter_dtype(config.training.precision)))}};
  if (config.model.label_count > 0) pairs["labels"] = at::zeros({N}, options.dtype(at::kLong));
  return pairs;
}

/// Returns the steps that the ranks name, and how many ranks name each. Every rank calls it.
std::map<std::int64_t, int> count_ranks(comm::Group& world, const std::vector<std::int64_t>& own) {
  std::map<std::int64_t, int> ranks;
  for (const std::string& text : comm::gather_text(world, nlohmann::json(own).dump())) {
    for (const auto step : nlohmann::json::parse(text).get<std::vector<std::int64_t>>())
      ++ranks[step];
  }
  return ranks;
}

}  // namespace

RoleTrainer::RoleTrainer(const RoleParts& parts, StepInputs& inputs,
                         const torch::nn::Module& network, const Progress& progress)
    : parts_(parts),
      inputs_(inputs),
      losses_({parts.config, parts.replica.generator(), parts.replica.discriminator(),
               parts.replica.augmentation(), parts.replica.path_length_mean(),
               parts.replica.devices(), parts.links.ranks()}),
      pairs_(blank_pairs(parts)),
      gradients_(parameters_with_gradients(network), parts.links.ranks(),
                 parts.config.comm.bucket_bytes),
      phases_(build_phases(parts.config, parts.replica, {&gradients_, &gradients_},
                           parts.links.ranks())),
      step_(progress.step) {
  std::erase_if(phases_, [&](const Phase& phase) { return phase.network != &network; });
}

Readings RoleTrainer::readings() const {
  Readings readings = loader_readings(inputs_);
  readings.all_reduce = parts_.links.ranks().all_reduce_cost();
  readings.augment_p = parts_.replica.augmentation().p();
  return readings;
}

std::int64_t RoleTrainer::steps_between_agreements() const {
  return wire::kStepsBetweenAgreements - step_ % wire::kStepsBetweenAgreements;
}

void RoleTrainer::reconcile(Progress& progress) {
  const auto own = std::exchange(progress.recent_nonfinite_steps, {});
  for (const auto& [step, ranks] : count_ranks(parts_.world, own)) {
    const bool is_new = step > progress.step - wire::kStepsBetweenAgreements;
    // Of earlier steps all ranks know, except for one that a rank has dropped as too long ago.
    if (!is_new && ranks < parts_.world.size()) continue;
    progress.recent_nonfinite_steps.push_back(step);
    if (std::ranges::count(own, step) == 0) progress.nonfinite_steps += 1;
  }
}

/// The discriminator's weights came with the last snapshot, but not the state of its optimizer, nor
/// what its augmentation has adapted since.
std::map<std::string, NamedTensors> RoleTrainer::gather_state() {
  auto state = parts_.replica.state();
  NamedTensors later;
  insert_with_prefix(later, "optimizer.", state.at("discriminator_optimizer"));
  // What arrives goes into a copy: this rank still augments as its last snapshot says.
  if (const auto augmentation = state.find(kAugmentation); augmentation != state.end()) {
    for (auto& [name, tensor] : augmentation->second) tensor = tensor.clone();
    insert_with_prefix(later, "augmentation.", augmentation->second);
  }
  const auto bucket_bytes = parts_.config.comm.bucket_bytes;
  const int sender = parts_.plan.world_rank({wire::Role::kDiscriminator, 0});
  const int rank = parts_.world.rank();
  if (rank == sender) {
    comm::send_state(parts_.world, later, 0, bucket_bytes);
    parts_.world.wait();
  }
  if (rank == 0) comm::receive_state(parts_.world, later, sender, bucket_bytes);
  return state;
}

models::Generator& RoleTrainer::averaged_generator() {
  models::Generator& average = parts_.replica.generator_ema();
  comm::broadcast_from_rank_0(parts_.world, named_state(average), parts_.config.comm.bucket_bytes);
  return average;
}

std::vector<OtherAverage> RoleTrainer::other_averages() {
  for (const OtherAverage& other : parts_.replica.average().others()) {
    comm::broadcast_from_rank_0(parts_.world, named_state(*other.generator),
                                parts_.config.comm.bucket_bytes);
  }
  return parts_.replica.average().others();
}

NamedTensors RoleTrainer::snapshot_state() const {
  NamedTensors state;
  insert_with_prefix(state, "discriminator.", named_state(parts_.replica.discriminator()));
  insert_with_prefix(state, "augmentation.", parts_.replica.augmentation().state());
  insert_with_prefix(state, "pairs.", pairs_);
  return state;
}

at::Tensor RoleTrainer::rows_of_rank(const at::Tensor& batch) const {
  const comm::Group& ranks = parts_.links.ranks();
  return batch.slice(0, ranks.rank(), std::nullopt, ranks.size());
}

NamedTensors RoleTrainer::returning_buffers() const {
  if (parts_.max_staleness > 0) return {};
  return named_buffers(parts_.replica.discriminator());
}

void RoleTrainer::average_over_ranks(const NamedTensors& statistics) {
  if (parts_.config.training.running_means != RunningMeans::kAveraged) return;
  comm::all_reduce_mean(parts_.links.ranks(), statistics, parts_.config.comm.bucket_bytes);
}

}  // namespace ganscale::training
