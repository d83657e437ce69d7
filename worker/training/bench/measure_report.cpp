#include <fmt/format.h>

#include "training/bench/measure_steps.h"

namespace ganscale::training {
namespace {

std::string line_of(const Spread& spread) {
  return fmt::format("{:<12} {:9.3f} {:9.3f} {:9.3f}\n", spread.name, 1e3 * spread.mean,
                     1e3 * spread.lowest, 1e3 * spread.highest);
}

nlohmann::ordered_json json_of(const std::vector<Spread>& spreads) {
  nlohmann::ordered_json json;
  for (const Spread& spread : spreads) {
    json[spread.name] = {
        {"mean", spread.mean}, {"lowest", spread.lowest}, {"highest", spread.highest}};
  }
  return json;
}

double seconds_per_kimg(const wire::Measurement& measured) {
  return 1000 * measured.seconds / static_cast<double>(measured.images);
}

double mean_step_seconds(const wire::Measurement& measured) {
  return measured.seconds / static_cast<double>(measured.steps);
}

}  // namespace

std::string to_table(const MeasuredSteps& steps) {
  const wire::Measurement& measured = steps.measured;
  std::string table = fmt::format(
      "{} on {} x {}, batch {}: {} steps after {}\n"
      "{:.4g} s/kimg, {:.4g} images/s; a step: mean {:.4g} ms, median {:.4g}, 99% below {:.4g}; "
      "straggler ratio {:.3f}\n\n"
      "ms of a step      mean    lowest   highest rank\n",
      steps.model, steps.ranks, steps.device, steps.batch, steps.window.steps,
      steps.window.warmup_steps, seconds_per_kimg(measured), measured.images_per_second(),
      1e3 * mean_step_seconds(measured), 1e3 * measured.step_seconds_median,
      1e3 * measured.step_seconds_p99, measured.straggler_ratio);
  for (const Spread& term : steps.terms) table += line_of(term);
  table += "in phases\n";
  for (const Spread& phase : steps.phases) table += line_of(phase);
  return table;
}

nlohmann::ordered_json to_json(const MeasuredSteps& steps) {
  const wire::Measurement& measured = steps.measured;
  nlohmann::ordered_json json = {{"model", steps.model},
                                 {"resolution", {steps.resolution.height, steps.resolution.width}},
                                 {"device", steps.device},
                                 {"ranks", steps.ranks},
                                 {"batch", steps.batch},
                                 {"warmup_steps", steps.window.warmup_steps},
                                 {"steps", steps.window.steps},
                                 {"seconds_per_kimg", seconds_per_kimg(measured)},
                                 {"images_per_second", measured.images_per_second()},
                                 {"step_seconds_mean", mean_step_seconds(measured)},
                                 {"step_seconds_median", measured.step_seconds_median},
                                 {"step_seconds_p99", measured.step_seconds_p99},
                                 {"straggler_ratio", measured.straggler_ratio},
                                 {"step_seconds", json_of(steps.terms)},
                                 {"phase_seconds", json_of(steps.phases)}};
  if (measured.memory_share) json["memory_share"] = *measured.memory_share;
  if (measured.gpu_use) json["gpu_use"] = *measured.gpu_use;
  return json;
}

}  // namespace ganscale::training
