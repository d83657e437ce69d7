#include "losses/loss_config.h"

#include <algorithm>
#include <string>

#include "base/enum_names.h"
#include "losses/loss_table.h"

namespace ganscale::losses {
namespace {

constexpr EnumNames<PenaltyPhase, 2> kPenaltyPhases{
    {{PenaltyPhase::kLazy, "lazy"}, {PenaltyPhase::kMain, "main"}}};

/// Refuses a number of steps that no run reaches: one more, and a product of two, must fit an int64.
void require_few_enough(const config::Section& in, const char* key, std::int64_t steps) {
  constexpr std::int64_t kMostSteps = 1'000'000'000;
  in.require(steps, {.highest = kMostSteps}, key,
             "must be at most " + std::to_string(kMostSteps) + ": " + std::to_string(steps));
}

/// Reads how many steps a regularization waits; 0 by default if it is off.
std::int64_t read_interval(config::Section& in, const char* key, std::int64_t if_on, bool on) {
  const std::int64_t interval =
      in.get(key, on ? if_on : 0,
             "steps between two such phases; learning rate and betas are rescaled accordingly");
  in.require(interval >= (on ? 1 : 0), key, "must be positive");
  require_few_enough(in, key, interval);
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
  in.require(c.critic_steps, config::at_least(1), "critic_steps", "must be positive");
  require_few_enough(in, "critic_steps", c.critic_steps);
  const std::string first = c.kind == Adversarial::kRelativistic ? "discriminator" : "generator";
  c.discriminator_first = in.get_choice("first", first, {"generator", "discriminator"},
                                        "network that a step trains first") == "discriminator";
  c.shares_fakes =
      in.get_choice("fakes", "new", {"new", "shared"},
                    "fakes that the discriminator trains on: new ones, or those that the generator "
                    "was trained with in the same step, which saves a pass through it") == "shared";
  c.uniform_labels =
      in.get_choice("fake_labels", "batch", {"batch", "uniform"},
                    "labels of fakes: those of the real images of the same batch, or drawn, each "
                    "as likely as the others") == "uniform";
  c.weight_clip =
      in.get("weight_clip", c.weight_clip,
             "clamp the discriminator's parameters to this magnitude after each step; 0: do not");
  in.require(c.weight_clip, config::at_least(0), "weight_clip", "must not be negative");
  if (c.weight_clip > 0) c.gradient_penalty = 0;  // one of them is enough to bound the slope
  c.gradient_penalty = in.get("gradient_penalty", c.gradient_penalty,
                              "weight of the gradient penalty, (|gradient| - 1)^2; 0: none");
  in.require(c.gradient_penalty, config::at_least(0), "gradient_penalty", "must not be negative");
  in.reject_unread_keys();
  return c;
}

double read_orthogonality(config::Section& in) {
  const double weight = in.get("orthogonality_weight", 0.0,
                               "weight of orthogonal regularization, such as 1e-4; 0: none");
  in.require(weight, config::at_least(0), "orthogonality_weight", "must not be negative");
  return weight;
}

PathLengthOptions read_path_length(config::Section& in) {
  PathLengthOptions c;
  c.weight =
      in.get("path_length_weight", c.weight, "weight of path length regularization; 0: none");
  in.require(c.weight, config::at_least(0), "path_length_weight", "must not be negative");
  c.interval = read_interval(in, "path_length_interval", 4, c.weight > 0);
  c.decay = in.get("path_length_decay", c.decay, "decay of the running mean of path lengths");
  in.require(c.decay > 0 && c.decay <= 1, "path_length_decay", "must be in (0, 1]");
  c.batch_shrink =
      in.get("path_length_batch_shrink", c.batch_shrink, "the phase uses 1/n of the batch");
  in.require(c.batch_shrink, config::above(0), "path_length_batch_shrink", "must be positive");
  return c;
}

PenaltyOptions read_penalties(config::Section& in) {
  PenaltyOptions c;
  c.r1_gamma = in.get("r1_gamma", c.r1_gamma, "weight of R1, the penalty at the reals; 0: none");
  in.require(c.r1_gamma, config::at_least(0), "r1_gamma", "must not be negative");
  c.r2_gamma = in.get("r2_gamma", c.r2_gamma, "weight of R2, the penalty at the fakes; 0: none");
  in.require(c.r2_gamma, config::at_least(0), "r2_gamma", "must not be negative");
  c.phase = in.get_choice("penalty_phase", c.phase, kPenaltyPhases,
                          "when R1 and R2 are taken: lazy, in a phase of their own every "
                          "r1_interval steps, or main, as a part of the loss of each step");
  if (c.phase == PenaltyPhase::kLazy)
    c.interval = read_interval(in, "r1_interval", 16, c.is_lazy());
  c.schedule = schedule::parse_schedule(
      in.section("gamma_schedule"), {"final_fraction", "final weights of R1 and R2 as a fraction"});
  in.require(c.schedule.final, config::at_least(0), "gamma_schedule.final_fraction",
             "must not be negative");
  return c;
}

}  // namespace ganscale::losses
