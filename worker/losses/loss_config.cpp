#include "losses/loss_config.h"

#include <algorithm>

#include "losses/loss_table.h"

namespace ganscale::losses {
namespace {

/// Reads how many steps a regularization waits; 0 by default where it is off.
std::int64_t read_interval(config::Section& in, const char* key, std::int64_t if_on, bool on) {
  const std::int64_t interval =
      in.get(key, on ? if_on : 0,
             "steps between two such phases; learning rate and betas are rescaled accordingly");
  in.require(interval >= (on ? 1 : 0), key, "must be positive");
  return interval;
}

Adversarial read_kind(config::Section& in) {
  std::vector<std::string> names;
  for (const AdversarialLoss& loss : loss_table()) names.emplace_back(loss.name);
  const auto name = in.get_choice("name", names.front(), names, "adversarial loss");
  return std::ranges::find(loss_table(), name, &AdversarialLoss::name)->kind;
}

}  // namespace

LossConfig parse_loss(config::Section in) {
  LossConfig c;
  c.kind = read_kind(in);
  if (c.kind == Adversarial::kWasserstein) {
    c.critic_steps = 5;
    c.gradient_penalty = 10;
  }
  c.critic_steps = in.get("critic_steps", c.critic_steps, "discriminator steps per generator step");
  in.require(c.critic_steps >= 1, "critic_steps", "must be positive");
  c.discriminator_first = in.get_choice("first", "generator", {"generator", "discriminator"},
                                        "network that a step trains first") == "discriminator";
  c.weight_clip =
      in.get("weight_clip", c.weight_clip,
             "clamp the discriminator's parameters to this magnitude after each step; 0: do not");
  in.require(c.weight_clip >= 0, "weight_clip", "must not be negative");
  if (c.weight_clip > 0) c.gradient_penalty = 0;  // one of them is enough to bound the slope
  c.gradient_penalty = in.get("gradient_penalty", c.gradient_penalty,
                              "weight of the gradient penalty, (|gradient| - 1)^2; 0: none");
  in.require(c.gradient_penalty >= 0, "gradient_penalty", "must not be negative");
  in.reject_unread_keys();
  return c;
}

double read_orthogonality(config::Section& in) {
  const double weight = in.get("orthogonality_weight", 0.0,
                               "weight of orthogonal regularization, such as 1e-4; 0: none");
  in.require(weight >= 0, "orthogonality_weight", "must not be negative");
  return weight;
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

}  // namespace ganscale::losses
