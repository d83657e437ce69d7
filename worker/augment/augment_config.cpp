#include "augment/augment_config.h"

#include "base/error.h"

namespace ganscale::augment {
namespace {

/// Reads a list of names; an unknown one becomes an error of the key.
template <class Parse>
auto read_names(config::Section& in, std::string_view key, const std::vector<std::string>& fallback,
                std::string_view documentation, Parse parse) {
  const auto names = in.get(key, fallback, documentation);
  try {
    return parse(names);
  } catch (const ConfigError& error) {
    in.fail(key, error.what());
  }
}

void read_p_schedule(config::Section& in, AugmentConfig& c) {
  c.p_schedule = schedule::parse_schedule(in.section("p_schedule"), {"final", "final p"});
  in.require(c.p_schedule.final, config::between(0, 1), "p_schedule.final", "must be in [0, 1]");
  in.require(!c.adaptive || c.p_schedule.is_constant(), "p_schedule",
             "an adaptive p cannot follow a schedule; use adaptive: false, or leave it out");
}

void parse_ada(config::Section& in, AugmentConfig& c) {
  c.pipeline = read_names(
      in, "pipeline", {"bgc"},
      "transformations or groups: blit, geom, color, filter, bg, bgc, bgcf, bgcfn, bgcfnc",
      ada_pipeline);
  c.adaptive = in.get("adaptive", c.adaptive, "adapt p so that D does not overfit");
  c.p = in.get("p", c.p, "probability of each transformation, or its initial value");
  in.require(c.p, config::between(0, 1), "p", "must be in [0, 1]");
  c.pipeline.color_strength = in.get("color_strength", c.pipeline.color_strength,
                                     "probability of color transformations, as a multiple of p");
  in.require(c.pipeline.color_strength, config::between(0, 1), "color_strength",
             "must be in [0, 1]");
  read_p_schedule(in, c);
  if (!c.adaptive) return;
  AdaptiveProbability& a = c.adaptation;
  a.target = in.get("target", a.target, "target of the mean sign of D's scores of reals");
  in.require(a.target > -1 && a.target < 1, "target", "must be in (-1, 1)");
  a.interval_steps = in.get("interval_steps", a.interval_steps, "steps between two updates of p");
  in.require(a.interval_steps, config::above(0), "interval_steps", "must be at least 1");
  a.speed_kimg =
      in.get("speed_kimg", a.speed_kimg, "thousands of images over which p can go from 0 to 1");
  in.require(a.speed_kimg, config::above(0), "speed_kimg", "must be positive");
}

}  // namespace

AugmentConfig parse_augment(config::Section in) {
  AugmentConfig c;
  const auto name = in.get_choice("name", "none", {"none", "ada", "diffaugment"},
                                  "augmentation of the discriminator's input");
  if (name == "ada") {
    c.method = Method::kAda;
    parse_ada(in, c);
  } else if (name == "diffaugment") {
    c.method = Method::kDiffAugment;
    c.policy = read_names(in, "policy", {"color", "translation", "cutout"},
                          "families of transformations", diff_augment_policy);
  }
  c.blur = read_fading_blur(in);
  in.reject_unread_keys();
  return c;
}

}  // namespace ganscale::augment
