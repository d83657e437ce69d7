#include "training/schemes/asynchronous/asynchronous.h"

#include <utility>

#include "base/log.h"
#include "comm/collectives/replicate.h"
#include "losses/loss_table.h"
#include "training/loop/loop.h"
#include "training/loop/role_tally.h"
#include "training/loop/training_context.h"
#include "training/replica/replica.h"
#include "training/replica/resume.h"
#include "training/run/precision.h"
#include "training/run/section_checks.h"
#include "training/schemes/asynchronous/discriminator_role.h"
#include "training/schemes/asynchronous/generator_role.h"
#include "training/schemes/synchronous/train_run.h"
#include "wire/role_plan.h"
#include "wire/scheme.h"

namespace ganscale::training {
namespace {

/// What the scheme reads of the section `scheme`.
struct AsynchronousOptions {
  wire::RoleRatio ratio;
  std::int64_t max_staleness = 1;  ///< steps
  std::int64_t buffer_limit_bytes = std::int64_t{1} << 30;
  config::Location ratio_location;  ///< of scheme.ratio: the world size is known later
  config::Location buffer_limit_location;
};

class AsynchronousScheme : public Scheme {
 public:
  explicit AsynchronousScheme(AsynchronousOptions options) : options_(std::move(options)) {}

  int ranks_of_lone_process() const override { return wire::role_ranks(1); }
  std::vector<int> ranks_of_networks(int world_size) const override;
  void check_sections(const config::Section& root, const RunConfig& config) const override;
  void check_ranks(const RunConfig& config, int world_size) const override;
  void check_data(const RunConfig& config, const data::Source& source,
                  int world_size) const override;
  void try_run(const TrainingContext& context) const override;
  ExitCode run(const TrainingContext& context) const override;

 private:
  wire::RolePlan plan_of(int world_size) const {
    return {options_.ratio, wire::role_ranks(world_size)};
  }

  AsynchronousOptions options_;
};

std::shared_ptr<const Scheme> read_asynchronous(config::Section& in) {
  AsynchronousOptions c;
  const std::string text = in.get("ratio", "1:1",
                                  "asynchronous: ratio of ranks that train the generator to ranks "
                                  "that train the discriminator, such as 1:3");
  const auto ratio = wire::parse_ratio(text);
  in.require(ratio.has_value(), "ratio", "expected two positive numbers, such as 1:3: " + text);
  c.ratio = ratio.value_or(wire::RoleRatio{});
  c.ratio_location = in.location("ratio");
  c.max_staleness = in.get("max_staleness", c.max_staleness,
                           "asynchronous: maximum age in steps of the images and weights that a "
                           "rank uses from the other role; 0: as synchronous");
  in.require(c.max_staleness >= 0 && c.max_staleness <= kMostStaleness, "max_staleness",
             "must be 0 to 64: " + std::to_string(c.max_staleness));
  c.buffer_limit_bytes =
      in.get_bytes("buffer_limit", c.buffer_limit_bytes,
                   "asynchronous: memory limit of the images buffered on a discriminator rank");
  c.buffer_limit_location = in.location("buffer_limit");
  return std::make_shared<AsynchronousScheme>(std::move(c));
}

/// A rank may have a batch of each age, and its own step's.
///
/// batch: the rank's part of it.
void require_memory(const RunConfig& config, const AsynchronousOptions& options, std::int64_t batch,
                    int channels) {
  const auto element_bytes =
      static_cast<std::int64_t>(at::elementSize(parameter_dtype(config.training.precision)));
  const std::int64_t image_bytes = element_bytes * channels * config.model.resolution.pixels();
  const std::int64_t needed_bytes = (options.max_staleness + 1) * batch * image_bytes;
  if (needed_bytes <= options.buffer_limit_bytes) return;
  throw ConfigError(
      options.buffer_limit_location.text() +
      ": scheme.buffer_limit: the image buffer of a rank takes " + std::to_string(needed_bytes) +
      " bytes (scheme.max_staleness + 1 batches): " + std::to_string(options.buffer_limit_bytes));
}

/// The networks and the data stream of a rank, at the point where the training resumes.
class RoleSetup {
 public:
  RoleSetup(const TrainingContext& context, const AsynchronousOptions& options)
      : context_(context),
        max_staleness_(options.max_staleness),
        plan_(options.ratio, context.group.size()),
        links_(context.config, plan_, context.group),
        network_groups_(context.config, links_.ranks()),
        replica_(context.config, context.devices, network_groups_.borrowed()),
        progress_(resume(replica_, context.resume_from(), context.group)) {
    for (const auto& [file, tensors] : replica_.state())
      comm::broadcast_from_rank_0(context.group, tensors, context.config.comm.bucket_bytes);
    take_restored(links_.ranks(), replica_.path_length_mean());  // from rank 0, which is G's first
    inputs_ = open_inputs();
  }

  std::unique_ptr<Trainer> make_trainer() {
    const RoleParts parts{.config = context_.config,
                          .plan = plan_,
                          .replica = replica_,
                          .links = links_,
                          .world = context_.group,
                          .max_staleness = max_staleness_};
    if (links_.role() == wire::Role::kGenerator)
      return std::make_unique<GeneratorRole>(parts, *inputs_, progress_);
    return std::make_unique<DiscriminatorRole>(parts, *inputs_, progress_);
  }

  Progress& progress() { return progress_; }

  /// Reads the images or labels of the first step.
  void read_first_input() { inputs_->next(progress_); }

  void log_roles() const {
    log::info("Roles", {{"generator_ranks", plan_.size(wire::Role::kGenerator)},
                        {"discriminator_ranks", plan_.size(wire::Role::kDiscriminator)},
                        {"max_staleness", max_staleness_}});
  }

  void finish() {
    network_groups_.finish();
    links_.finish();
  }

 private:
  std::unique_ptr<StepInputs> open_inputs() {
    if (links_.role() == wire::Role::kGenerator) {
      return std::make_unique<LabelInputs>(context_.config, context_.dataset,
                                           context_.devices.generator, links_.ranks(),
                                           plan_.size(wire::Role::kDiscriminator));
    }
    return std::make_unique<LoadedInputs>(context_.config, context_.dataset,
                                          context_.devices.discriminator, links_.ranks(),
                                          progress_);
  }

  const TrainingContext& context_;
  const std::int64_t max_staleness_;
  const wire::RolePlan plan_;
  RoleLinks links_;
  NetworkGroups network_groups_;
  Replica replica_;
  Progress progress_;
  std::unique_ptr<StepInputs> inputs_;
};

void AsynchronousScheme::check_sections(const config::Section& root,
                                        const RunConfig& config) const {
  require_one_device(root, config.training, config.scheme.name);
  root.require(!config.training.cuda_graphs, "training.cuda_graphs",
               "scheme asynchronous receives new fakes and weights in each step, which a CUDA "
               "graph can't read; leave it out");
  const bool is_of_pairs = losses::adversarial_loss(config.loss.kind).is_of_pairs();
  root.require(!is_of_pairs || config.loss.discriminator_first, "loss.first",
               "scheme asynchronous pairs fakes with reals that the discriminator has scored after "
               "its step; use discriminator");
}

void AsynchronousScheme::check_ranks(const RunConfig& config, int world_size) const {
  const wire::RoleRatio& ratio = options_.ratio;
  const int ranks = wire::role_ranks(world_size);
  if (ranks % ratio.sum() != 0) {
    throw ConfigError(
        options_.ratio_location.text() +
        ": scheme.ratio: its sum must divide the number of ranks (two for one process): " +
        wire::to_text(ratio) + " on " + std::to_string(ranks) + " ranks");
  }
  if (world_size == 1 && config.profile.steps > 0) {
    throw ConfigError(config.profile.location.text() +
                      ": profile.steps: a process can record one role only; start one for each, "
                      "with mpirun -n 2: " +
                      std::to_string(config.profile.steps));
  }
  const wire::RolePlan plan = plan_of(world_size);
  require_divisible_batch(config.training, plan.size(wire::Role::kGenerator),
                          "ranks of the generator");
  require_divisible_batch(config.training, plan.size(wire::Role::kDiscriminator),
                          "ranks of the discriminator");
  // Data that keep their channels may be gray; check_data() knows.
  const int channels = config.data.channels == data::Channels::kRgb ? 3 : 1;
  require_memory(config, options_, config.training.batch / plan.size(wire::Role::kDiscriminator),
                 channels);
}

void AsynchronousScheme::check_data(const RunConfig& config, const data::Source& /*source*/,
                                    int world_size) const {
  const int ranks = plan_of(world_size).size(wire::Role::kDiscriminator);
  require_memory(config, options_, config.training.batch / ranks, config.model.channels);
}

std::vector<int> AsynchronousScheme::ranks_of_networks(int world_size) const {
  const wire::RolePlan plan = plan_of(world_size);
  return {plan.size(wire::Role::kGenerator), plan.size(wire::Role::kDiscriminator)};
}

void AsynchronousScheme::try_run(const TrainingContext& context) const {
  log_start("Dry run", context);
  RoleSetup prepared(context, options_);
  prepared.log_roles();
  prepared.make_trainer();
  prepared.read_first_input();
  prepared.finish();
}

ExitCode AsynchronousScheme::run(const TrainingContext& context) const {
  log_start("Training", context);
  RoleSetup prepared(context, options_);
  prepared.log_roles();
  const auto trainer = prepared.make_trainer();
  const ExitCode code = run_loop(context, *trainer, prepared.progress());
  prepared.finish();
  return code;
}

}  // namespace

SchemeLine asynchronous_scheme() {
  return {.name = std::string(wire::kAsynchronous.name),
          .description = "ranks train one network each, at the same time",
          .read = read_asynchronous};
}

}  // namespace ganscale::training
