#include "optim/ema.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/_foreach_lerp.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "config/units.h"

namespace ganscale::optim {
namespace {

std::vector<double> read_others(config::Section& in, double kimg) {
  const std::vector<double> others =
      in.get("other_ema_kimg", std::vector<double>{},
             "half-lives of further averages, in thousands of images, such as [2, 50]; each is "
             "evaluated too");
  std::set<double> seen{kimg};
  for (const double other : others) {
    in.require(other > 0, "other_ema_kimg", "must be positive");
    in.require(seen.insert(other).second, "other_ema_kimg",
               "there is an average with this half-life already: " + config::format_number(other));
  }
  return others;
}

}  // namespace

EmaConfig EmaConfig::with(double half_life_kimg) const {
  return {.kimg = half_life_kimg, .ramp_up = ramp_up, .start_kimg = start_kimg};
}

EmaConfig read_ema(config::Section& in) {
  EmaConfig c;
  c.kimg =
      in.get("ema_kimg", c.kimg,
             "half-life of the generator's moving average in thousands of images; 0: no averaging");
  in.require(c.kimg, config::at_least(0), "ema_kimg", "must not be negative");
  c.schedule = schedule::parse_schedule(in.section("ema_schedule"),
                                        {"final_kimg", "final half-life, in thousands of images"});
  in.require(c.schedule.final, config::at_least(0), "ema_schedule.final_kimg",
             "must not be negative");
  c.ramp_up =
      in.get("ema_ramp_up", c.ramp_up,
             "limit of the half-life as a fraction of the images seen, such as 0.05; 0: none");
  in.require(c.ramp_up, config::at_least(0), "ema_ramp_up", "must not be negative");
  c.start_kimg = in.get("ema_start_kimg", c.start_kimg,
                        "thousands of images before the average starts; until then it is the "
                        "generator itself");
  in.require(c.start_kimg, config::at_least(0), "ema_start_kimg", "must not be negative");
  c.others = read_others(in, c.kimg);
  return c;
}

double ema_half_life_images(const EmaConfig& config, std::int64_t images_seen) {
  const double images = schedule::value_of(config.schedule, config.kimg, images_seen) * 1000;
  if (config.ramp_up <= 0) return images;
  return std::min(images, static_cast<double>(images_seen) * config.ramp_up);
}

double ema_beta(const EmaConfig& config, std::int64_t batch, std::int64_t images_seen) {
  if (static_cast<double>(images_seen) < config.start_kimg * 1000) return 0;
  const double half_life_images = ema_half_life_images(config, images_seen);
  if (half_life_images <= 0) return 0;
  return std::pow(0.5, static_cast<double>(batch) / half_life_images);
}

void update_ema(torch::nn::Module& ema, const torch::nn::Module& source, double beta) {
  const at::NoGradGuard no_grad;
  at::_foreach_lerp_(ema.parameters(), source.parameters(), 1 - beta);
  copy_buffers(ema, source);
}

void copy_buffers(torch::nn::Module& ema, const torch::nn::Module& source) {
  const at::NoGradGuard no_grad;
  const auto buffers = ema.buffers();
  if (!buffers.empty()) at::_foreach_copy_(buffers, source.buffers());
}

}  // namespace ganscale::optim
