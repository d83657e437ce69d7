#pragma once

#include <ATen/ops/tensor.h>

#include "comm/backends/thread_group.h"
#include "comm/collectives/bucketed_gradients.h"
#include "comm/collectives/replicate.h"
#include "training/loop/loop.h"
#include "training/phases/build_phases.h"
#include "training/phases/step_inputs.h"
#include "training/replica/resume.h"
#include "training/run/scheme.h"

namespace ganscale::training {

/// Rank 0 trains the generator and rank 1 the discriminator, at the same time: each works with the
/// other's network as it was after the step before.
class LateRoles : public Trainer {
 public:
  /// agree_every: steps.
  LateRoles(const TrainingContext& context, Replica& replica, const Progress& progress,
            std::int64_t agree_every)
      : context_(context),
        agree_every_(agree_every),
        config_(context.config),
        replica_(replica),
        generates_(context.group.rank() == 0),
        gradients_(own_network().parameters(), *alone_, config_.comm.bucket_bytes),
        phases_(build_phases(config_, replica, {&gradients_, &gradients_}, *alone_)) {
    for (const auto& [file, tensors] : replica.state()) broadcast(tensors, 0);
    std::erase_if(phases_, [&](const Phase& phase) { return phase.network != &own_network(); });
    if (generates_) return;
    inputs_.emplace(config_, context.dataset, context.devices.discriminator, *alone_, progress);
  }

  std::vector<std::string> phase_names() const override {
    std::vector<std::string> names;
    for (const Phase& phase : phases_) names.push_back(phase.name);
    return names;
  }
  std::vector<std::string> statistic_names() const override { return phases_.front().statistics; }

  StepResult step(Progress& progress) override {
    const Progress here{.images_seen = progress.step * config_.training.batch};
    const StepInput input = inputs_ ? inputs_->next(here) : without_images(here);
    StepResult result{.images = generates_ ? 0 : config_.training.batch};
    (generates_ ? result.generator_steps : result.discriminator_steps) = 1;
    for (Phase& phase : phases_) {
      result.statistics.merge(compute_gradients(phase, input).statistics);
      skipped_.add(phase, update_network(phase, here.images_seen));
    }
    result.skipped = skipped_.take();
    if (generates_) replica_.average().end_step(here.images_seen, /*is_moved=*/false);
    broadcast(named_state(replica_.generator()), 0);
    broadcast(named_state(replica_.discriminator()), 1);
    progress.step += 1;
    new_images_ += result.images;
    return result;
  }

  Readings readings() const override { return {}; }
  std::int64_t steps_between_agreements() const override { return agree_every_; }
  /// Only the discriminator's rank knows how many images it has shown.
  void reconcile(Progress& progress) override {
    const at::Tensor images = at::tensor({new_images_});
    context_.group.all_reduce_sum(images);
    progress.images_seen += images.item<std::int64_t>();
    progress.stream_position = progress.images_seen;
    new_images_ = 0;
  }
  std::map<std::string, NamedTensors> gather_state() override {
    auto state = replica_.state();
    broadcast(state.at("discriminator_optimizer"), 1);
    return state;
  }
  models::Generator& averaged_generator() override {
    broadcast(named_state(replica_.generator_ema()), 0);
    return replica_.generator_ema();
  }

 private:
  torch::nn::Module& own_network() {
    if (generates_) return replica_.generator();
    return replica_.discriminator();
  }
  StepInput without_images(const Progress& here) const {
    return {
        .real = {},
        .images = image_random(SeedMode::kImage, config_.training.seed, 0, 1, here.images_seen)};
  }
  void broadcast(const NamedTensors& tensors, int from) {
    for (const auto& [name, tensor] : tensors) {
      const at::Tensor flat = tensor.detach().contiguous();
      context_.group.broadcast(flat, from);
      tensor.detach().copy_(flat);
    }
  }

  const TrainingContext& context_;
  const std::int64_t agree_every_;
  const RunConfig& config_;
  Replica& replica_;
  bool generates_;
  std::unique_ptr<comm::Group> alone_ = comm::make_single_group();
  comm::BucketedGradients gradients_;
  std::vector<Phase> phases_;
  std::optional<LoadedInputs> inputs_;
  SkippedUpdates skipped_;
  std::int64_t new_images_ = 0;
};

class LateRolesScheme : public Scheme {
 public:
  /// agree_every: steps.
  explicit LateRolesScheme(std::int64_t agree_every) : agree_every_(agree_every) {}

  std::vector<int> ranks_of_networks(int /*world_size*/) const override { return {1}; }
  void check_sections(const config::Section& /*root*/, const RunConfig& /*config*/) const override {
  }
  void check_ranks(const RunConfig& /*config*/, int world_size) const override {
    if (world_size != 2) throw ConfigError("scheme late_roles has two ranks");
  }
  void try_run(const TrainingContext& /*context*/) const override {}
  ExitCode run(const TrainingContext& context) const override {
    Replica replica(context.config, context.devices, ReplicaGroups{});
    Progress progress = resume(replica,
                               {.folder = context.folder,
                                .facts = context.dataset.facts,
                                .weights = context.config.training.resume_weights},
                               context.group);
    LateRoles trainer(context, replica, progress, agree_every_);
    return run_loop(context, trainer, progress);
  }

 private:
  std::int64_t agree_every_;
};

inline std::shared_ptr<const Scheme> read_late_roles(config::Section& in) {
  const auto agree_every =
      in.get("agree_every", std::int64_t{2}, "late_roles: steps to an agreement");
  in.require(agree_every >= 1, "agree_every", "must be positive");
  return std::make_shared<LateRolesScheme>(agree_every);
}

inline SchemeLine late_roles_scheme() {
  return {.name = "late_roles",
          .description = "a rank a network, each a step behind the other",
          .read = read_late_roles};
}

}  // namespace ganscale::training
