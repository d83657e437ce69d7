#include "training/run/parse_run.h"

#include "base/enum_names.h"
#include "comm/backends/launcher.h"
#include "training/run/precision.h"
#include "training/run/presets.h"
#include "training/run/section_checks.h"

namespace ganscale::training {
namespace {

/// Returns what the authors of a loss train with: Gulrajani et al. 2017, arXiv:1704.00028,
/// Algorithm 1; Radford et al. 2016, arXiv:1511.06434.
optim::OptimizerDefaults default_optimizer(losses::Adversarial kind) {
  if (kind != losses::Adversarial::kWasserstein) return {};
  return {.learning_rate = 1e-4, .beta1 = 0, .beta2 = 0.9};
}

GeneratorConfig parse_generator(config::Section in, const losses::LossConfig& loss,
                                std::int64_t batch) {
  GeneratorConfig c;
  c.policy = optim::parse_network_policy(in.section("optimizer"), default_optimizer(loss.kind));
  c.ema = optim::read_ema(in);
  c.path_length = losses::read_path_length(in);
  c.orthogonality_weight = losses::read_orthogonality(in);
  c.policy.batch = batch;
  c.policy.update_interval = loss.critic_steps;
  c.policy.lazy_interval = c.path_length.interval;
  in.reject_unread_keys();
  return c;
}

constexpr EnumNames<JoinedBatches, 3> kJoinedBatches{
    {{JoinedBatches::kAuto, "auto"}, {JoinedBatches::kYes, "true"}, {JoinedBatches::kNo, "false"}}};

JoinedBatches parse_joined_batches(config::Section& in) {
  return in.get_choice(
      "joined_batches", JoinedBatches::kAuto, kJoinedBatches,
      "pass reals and fakes through it together: faster with few images per GPU, but needs more "
      "memory; the result is the same unless its spectral normalization changes with each pass; "
      "auto: with such a normalization, or on a GPU if its layers allow it, unless "
      "training.layout is plain");
}

DiscriminatorConfig parse_discriminator(config::Section in, const losses::LossConfig& loss,
                                        std::int64_t batch) {
  DiscriminatorConfig c;
  c.policy = optim::parse_network_policy(in.section("optimizer"), default_optimizer(loss.kind));
  c.freeze = in.get("freeze", c.freeze, "name prefixes of parameters to freeze, as in FreezeD");
  c.freeze_location = in.location("freeze");
  c.joined_batches = parse_joined_batches(in);
  c.joined_batches_location = in.location("joined_batches");
  c.penalties = losses::read_penalties(in);
  c.unpenalized = in.get("unpenalized", c.unpenalized,
                         "name prefixes of parameters that the phase of lazy penalties leaves "
                         "alone; other parameters that it does not reach get a gradient of zero");
  c.unpenalized_location = in.location("unpenalized");
  c.policy.batch = batch;
  c.policy.lazy_interval = c.penalties.interval;
  c.policy.weight_limit = loss.weight_clip;
  in.reject_unread_keys();
  return c;
}

SchemeConfig parse_scheme(config::Section in, SchemeTable schemes) {
  SchemeConfig c;
  if (schemes.empty()) return c;
  std::vector<std::string> names;
  std::string descriptions;
  for (const SchemeLine& scheme : schemes) {
    names.push_back(scheme.name);
    descriptions += (descriptions.empty() ? "" : "; ") + scheme.name + ": " + scheme.description;
  }
  c.name = in.get_choice("name", names.front(), names, descriptions);
  for (const SchemeLine& scheme : schemes) {
    auto read = scheme.read(in);
    if (scheme.name == c.name) c.chosen = std::move(read);
  }
  in.reject_unread_keys();
  return c;
}

BudgetConfig parse_budget(config::Section in) {
  BudgetConfig c;
  c.wall_seconds = in.get_seconds(
      "wall", c.wall_seconds, "time limit of the training (such as 2h), across restarts; 0: none");
  in.require(c.wall_seconds, config::at_least(0), "wall", "must not be negative");
  c.gpu_hours =
      in.get("gpu_hours", c.gpu_hours, "limit of device hours, summed over the ranks; 0: no limit");
  in.require(c.gpu_hours, config::at_least(0), "gpu_hours", "must not be negative");
  in.reject_unread_keys();
  return c;
}

/// Reads a number that must not be negative over the default in `value`.
void read_count(config::Section& in, const char* key, std::int64_t& value, const char* doc) {
  value = in.get(key, value, doc);
  in.require(value, config::at_least(0), key, "must not be negative");
}

MeasureConfig parse_measure(config::Section in) {
  MeasureConfig c;
  read_count(in, "warmup_steps", c.warmup_steps, "steps before the measured window");
  read_count(in, "steps", c.steps,
             "steps of the measured window, after which the run ends; 0: no window");
  in.reject_unread_keys();
  return c;
}

ProfileConfig parse_profile(config::Section in) {
  ProfileConfig c;
  read_count(in, "warmup_steps", c.warmup_steps, "steps before the recorded ones");
  c.steps = in.get("steps", c.steps,
                   "steps whose operators are recorded: RUN/profile.json has the time by kind, "
                   "RUN/trace.json is for a trace viewer; 0: none");
  constexpr std::int64_t kMostSteps = 1000;
  in.require(c.steps, config::between(0, kMostSteps), "steps",
             "must be 0 to " + std::to_string(kMostSteps) + ": " + std::to_string(c.steps));
  c.location = in.location("steps");
  in.reject_unread_keys();
  return c;
}

}  // namespace

RunConfig parse_run(config::Node root, SchemeTable schemes, models::ModelTable models) {
  apply_presets(root, comm::launched_world_size());
  return parse_run(config::Section(std::move(root)), schemes, models);
}

RunConfig parse_run(config::Section in, SchemeTable schemes, models::ModelTable models) {
  RunConfig c;
  read_preset(in);
  c.training = parse_training(in.section("training"));
  c.model =
      models::parse_model(in.section("model"), models, low_precision_type(c.training.precision));
  c.model.layout = {.is_plain = c.training.has_plain_layout,
                    .allows_tf32 = allows_tf32(c.training.precision)};
  c.data = data::parse_data(in.section("data"));
  c.scheme = parse_scheme(in.section("scheme"), schemes);
  c.budget = parse_budget(in.section("budget"));
  c.measure = parse_measure(in.section("measure"));
  c.profile = parse_profile(in.section("profile"));
  c.loss = losses::parse_loss(in.section("loss"));
  c.generator = parse_generator(in.section("generator"), c.loss, c.training.batch);
  c.discriminator = parse_discriminator(in.section("discriminator"), c.loss, c.training.batch);
  c.augment = augment::parse_augment(in.section("augment"));
  c.evaluate = metrics::parse_evaluate(in.section("evaluate"));
  c.checkpoint = checkpoint::parse_checkpoint(in.section("checkpoint"));
  config::Section telemetry = in.section("telemetry");
  c.mlflow = report::parse_mlflow(telemetry.section("mlflow"));
  c.telemetry = control::parse_telemetry(std::move(telemetry));
  c.comm = comm::parse_comm(in.section("comm"));
  in.reject_unread_keys();
  require_sections_fit(in, c);
  if (c.scheme.chosen) c.scheme.chosen->check_sections(in, c);
  c.resolved = config::to_yaml(in.entries(), /*comments=*/true);
  return c;
}

}  // namespace ganscale::training
