#include "training/run/run_config.h"

#include <algorithm>

#include "base/error.h"
#include "comm/launcher.h"
#include "training/run/presets.h"
#include "training/run/section_checks.h"

namespace ganscale::training {
namespace {

/// Reads how many steps a regularization waits; 0 by default where it is off.
std::int64_t read_interval(config::Section& in, const char* key, std::int64_t if_on, bool on) {
  const std::int64_t interval =
      in.get(key, on ? if_on : 0,
             "steps between two such phases; learning rate and betas are rescaled accordingly");
  in.require(interval >= (on ? 1 : 0), key, "must be positive");
  return interval;
}

PathLengthOptions read_path_length(config::Section& in) {
  PathLengthOptions c;
  c.weight =
      in.get("path_length_weight", c.weight, "weight of path length regularization; 0: none");
  in.require(c.weight >= 0, "path_length_weight", "must not be negative");
  c.interval = read_interval(in, "path_length_interval", 4, c.weight > 0);
  c.decay = in.get("path_length_decay", c.decay, "decay of the running mean of path lengths");
  in.require(c.decay > 0 && c.decay <= 1, "path_length_decay", "must be in (0, 1]");
  c.batch_shrink =
      in.get("path_length_batch_shrink", c.batch_shrink, "the phase uses 1/n of the batch");
  in.require(c.batch_shrink > 0, "path_length_batch_shrink", "must be positive");
  return c;
}

R1Options read_r1(config::Section& in) {
  R1Options c;
  c.gamma = in.get("r1_gamma", c.gamma, "weight of the R1 penalty; 0: none");
  in.require(c.gamma >= 0, "r1_gamma", "must not be negative");
  c.interval = read_interval(in, "r1_interval", 16, c.gamma > 0);
  return c;
}

/// Returns what the authors of a loss train with: Gulrajani et al. 2017, arXiv:1704.00028,
/// Algorithm 1; Radford et al. 2016, arXiv:1511.06434.
optim::OptimizerConfig default_optimizer(losses::Adversarial kind) {
  if (kind != losses::Adversarial::kWasserstein) return {};
  return {.learning_rate = 1e-4, .beta1 = 0, .beta2 = 0.9};
}

GeneratorConfig parse_generator(config::Section in, const optim::OptimizerConfig& optimizer) {
  GeneratorConfig c;
  c.optimizer = optim::parse_optimizer(in.section("optimizer"), optimizer);
  c.ema = optim::read_ema(in);
  c.path_length = read_path_length(in);
  in.reject_unread_keys();
  return c;
}

DiscriminatorConfig parse_discriminator(config::Section in,
                                        const optim::OptimizerConfig& optimizer) {
  DiscriminatorConfig c;
  c.optimizer = optim::parse_optimizer(in.section("optimizer"), optimizer);
  c.freeze = in.get("freeze", c.freeze, "name prefixes of parameters to freeze, as in FreezeD");
  c.freeze_location = in.location("freeze");
  c.r1 = read_r1(in);
  in.reject_unread_keys();
  return c;
}

/// StyleGAN2 chooses by itself which of its layers compute in a low-precision type.
void choose_low_precision_type(RunConfig& c) {
  if (c.model.name != "stylegan2") return;
  if (c.training.precision == Precision::kFp16) c.model.stylegan2.low_precision_type = at::kHalf;
  if (c.training.precision == Precision::kBf16)
    c.model.stylegan2.low_precision_type = at::kBFloat16;
}

SchemeConfig parse_scheme(config::Section in) {
  SchemeConfig c;
  c.name = in.get_choice("name", c.name, {"synchronous", kPerLabel},
                         "synchronous: all ranks train one pair of networks; per_label: each label "
                         "has its own pair, trained by one rank");
  c.attempts = in.get("attempts", c.attempts, "per_label: maximum number of attempts per label");
  in.require(c.attempts >= 1, "attempts", "must be positive");
  in.reject_unread_keys();
  return c;
}

BudgetConfig parse_budget(config::Section in) {
  BudgetConfig c;
  c.wall_seconds =
      in.get_seconds("wall", c.wall_seconds,
                     "time limit of the training (such as 2h), over all restarts; 0: none");
  in.require(c.wall_seconds >= 0, "wall", "must not be negative");
  c.gpu_hours =
      in.get("gpu_hours", c.gpu_hours, "limit of device hours, summed over the ranks; 0: none");
  in.require(c.gpu_hours >= 0, "gpu_hours", "must not be negative");
  in.reject_unread_keys();
  return c;
}

}  // namespace

double BudgetConfig::seconds(int device_count) const {
  constexpr double kSecondsAnHour = 3600;
  const double of_devices = gpu_hours * kSecondsAnHour / device_count;
  if (wall_seconds == 0 || of_devices == 0) return std::max(wall_seconds, of_devices);
  return std::min(wall_seconds, of_devices);
}

RunConfig parse_run(config::Node root) {
  apply_preset(root, comm::launched_world_size());
  return parse_run(config::Section(std::move(root)));
}

RunConfig parse_run(config::Section in) {
  RunConfig c;
  c.model = models::parse_model(in.section("model"));
  c.data = data::parse_data(in.section("data"));
  c.scheme = parse_scheme(in.section("scheme"));
  c.training = parse_training(in.section("training"));
  c.budget = parse_budget(in.section("budget"));
  c.loss = losses::parse_loss(in.section("loss"));
  const auto optimizer = default_optimizer(c.loss.kind);
  c.generator = parse_generator(in.section("generator"), optimizer);
  c.discriminator = parse_discriminator(in.section("discriminator"), optimizer);
  c.augment = augment::parse_augment(in.section("augment"));
  c.evaluate = metrics::parse_evaluate(in.section("evaluate"));
  c.checkpoint = checkpoint::parse_checkpoint(in.section("checkpoint"));
  c.telemetry = control::parse_telemetry(in.section("telemetry"));
  c.comm = comm::parse_comm(in.section("comm"));
  in.reject_unread_keys();
  choose_low_precision_type(c);
  require_sections_fit(in, c);
  c.batch_location = in.location("training.batch");
  c.resolved = config::to_yaml(in.entries(), /*comments=*/true);
  return c;
}

void require_fits_world(const RunConfig& config, int world_size) {
  if (config.scheme.name == kPerLabel) return;  // a batch is one rank's
  if (config.training.batch % world_size == 0) return;
  throw ConfigError(config.batch_location.text() +
                    ": training.batch: must be divisible by the number of ranks: " +
                    std::to_string(config.training.batch) + " on " + std::to_string(world_size) +
                    " ranks");
}

}  // namespace ganscale::training
