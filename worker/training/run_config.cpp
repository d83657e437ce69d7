#include "training/run_config.h"

#include "base/error.h"
#include "comm/launcher.h"
#include "training/presets.h"

namespace ganscale::training {
namespace {

PathLengthOptions read_path_length(config::Section& in) {
  PathLengthOptions c;
  c.weight = in.get("path_length_weight", c.weight, "of the path length regularisation; 0: none");
  in.require(c.weight >= 0, "path_length_weight", "must not be negative");
  c.interval = in.get("path_length_interval", c.weight > 0 ? 4 : c.interval,
                      "steps from one such phase to the next; rate and betas are rescaled for it");
  in.require(c.interval >= (c.weight > 0 ? 1 : 0), "path_length_interval", "must be positive");
  c.decay = in.get("path_length_decay", c.decay, "how fast the mean path length follows");
  in.require(c.decay > 0 && c.decay <= 1, "path_length_decay", "must be in (0, 1]");
  c.batch_shrink = in.get("path_length_batch_shrink", c.batch_shrink,
                          "the phase takes this part of the batch: 2 is half of it");
  in.require(c.batch_shrink > 0, "path_length_batch_shrink", "must be positive");
  return c;
}

R1Options read_r1(config::Section& in) {
  R1Options c;
  c.gamma = in.get("r1_gamma", c.gamma, "weight of the R1 penalty; 0: none");
  in.require(c.gamma >= 0, "r1_gamma", "must not be negative");
  c.interval = in.get("r1_interval", c.gamma > 0 ? 16 : c.interval,
                      "steps from one such phase to the next; rate and betas are rescaled for it");
  in.require(c.interval >= (c.gamma > 0 ? 1 : 0), "r1_interval", "must be positive");
  return c;
}

GeneratorConfig parse_generator(config::Section in) {
  GeneratorConfig c;
  c.optimizer = optim::parse_optimizer(in.section("optimizer"));
  c.ema = optim::read_ema(in);
  c.path_length = read_path_length(in);
  in.reject_unread_keys();
  return c;
}

DiscriminatorConfig parse_discriminator(config::Section in) {
  DiscriminatorConfig c;
  c.optimizer = optim::parse_optimizer(in.section("optimizer"));
  c.freeze = in.get("freeze", c.freeze,
                    "beginnings of names of parameters that keep their values, as in FreezeD");
  c.r1 = read_r1(in);
  in.reject_unread_keys();
  return c;
}

/// StyleGAN2 chooses by itself which of its layers compute in a narrow type.
void choose_narrow_type(RunConfig& c) {
  const Precision precision = c.training.precision;
  if (c.model.name == "stylegan2") {
    if (precision == Precision::kFp16) c.model.stylegan2.narrow_type = at::kHalf;
    if (precision == Precision::kBf16) c.model.stylegan2.narrow_type = at::kBFloat16;
  } else if (precision == Precision::kFp16) {
    throw ConfigError("training.precision: fp16 is for stylegan2 only; take bf16: " + c.model.name);
  }
}

std::string parse_scheme(config::Section in) {
  auto name = in.get_choice("name", "synchronous", {"synchronous"}, "how the ranks work together");
  in.reject_unread_keys();
  return name;
}

}  // namespace

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
  c.generator = parse_generator(in.section("generator"));
  c.discriminator = parse_discriminator(in.section("discriminator"));
  c.augment = augment::parse_augment(in.section("augment"));
  c.checkpoint = checkpoint::parse_checkpoint(in.section("checkpoint"));
  c.telemetry = control::parse_telemetry(in.section("telemetry"));
  c.comm = comm::parse_comm(in.section("comm"));
  in.reject_unread_keys();
  choose_narrow_type(c);
  c.resolved = config::to_yaml(in.entries(), /*comments=*/true);
  return c;
}

void require_fits_world(const RunConfig& config, int world_size) {
  if (config.training.batch % world_size == 0) return;
  throw ConfigError("training.batch must be divisible by the number of ranks: " +
                    std::to_string(config.training.batch) + " on " + std::to_string(world_size) +
                    " ranks");
}

}  // namespace ganscale::training
