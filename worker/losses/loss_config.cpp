#include "losses/loss_config.h"

namespace ganscale::losses {

LossConfig parse_loss(config::Section in) {
  LossConfig c;
  if (in.get_choice("name", "non_saturating", {"non_saturating", "wasserstein"},
                    "adversarial loss") == "wasserstein") {
    c = {.kind = Adversarial::kWasserstein, .critic_steps = 5, .gradient_penalty = 10};
  }
  c.critic_steps = in.get("critic_steps", c.critic_steps, "discriminator steps per generator step");
  in.require(c.critic_steps >= 1, "critic_steps", "must be positive");
  c.weight_clip = in.get("weight_clip", c.weight_clip,
                         "clamp the discriminator's parameters to this after each step; 0: do not");
  in.require(c.weight_clip >= 0, "weight_clip", "must not be negative");
  if (c.weight_clip > 0) c.gradient_penalty = 0;  // one of them is enough to bound the slope
  c.gradient_penalty = in.get("gradient_penalty", c.gradient_penalty,
                              "weight of the gradient penalty, (|gradient| - 1)^2; 0: none");
  in.require(c.gradient_penalty >= 0, "gradient_penalty", "must not be negative");
  in.reject_unread_keys();
  return c;
}

}  // namespace ganscale::losses
