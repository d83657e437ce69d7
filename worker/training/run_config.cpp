#include "training/run_config.h"

#include "base/error.h"

namespace ganscale::training {
namespace {

GeneratorConfig parse_generator(config::Section in) {
  GeneratorConfig c;
  c.optimizer = optim::parse_optimizer(in.section("optimizer"));
  c.ema = optim::read_ema(in);
  in.reject_unread_keys();
  return c;
}

DiscriminatorConfig parse_discriminator(config::Section in) {
  DiscriminatorConfig c;
  c.optimizer = optim::parse_optimizer(in.section("optimizer"));
  c.freeze = in.get("freeze", c.freeze,
                    "beginnings of names of parameters that keep their values, as in FreezeD");
  in.reject_unread_keys();
  return c;
}

std::string parse_scheme(config::Section in) {
  auto name = in.get_choice("name", "synchronous", {"synchronous"}, "how the ranks work together");
  in.reject_unread_keys();
  return name;
}

}  // namespace

RunConfig parse_run(config::Node root) { return parse_run(config::Section(std::move(root))); }

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
