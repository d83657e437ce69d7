#include "kind/measured.h"

#include <array>
#include <cmath>
#include <utility>

#include "object/lookup.h"

namespace ganscale::controller {
namespace {

constexpr std::array<std::pair<const char*, double Measured::*>, 3> kNumbers{{
    {"imagesPerSecond", &Measured::images_per_second},
    {"seconds", &Measured::seconds},
    {"stragglerRatio", &Measured::straggler_ratio},
}};

// A whole training has none: its ranks have no steps in common.
constexpr std::array<std::pair<const char*, double Measured::*>, 5> kNumbersOfSteps{{
    {"dataWaitSeconds", &Measured::data_wait_seconds},
    {"allReduceSeconds", &Measured::all_reduce_seconds},
    {"roleWaitSeconds", &Measured::role_wait_seconds},
    {"stepSecondsMedian", &Measured::step_seconds_median},
    {"stepSecondsP99", &Measured::step_seconds_p99},
}};

constexpr std::array<std::pair<const char*, std::optional<double> Measured::*>, 2> kShares{{
    {"memoryShare", &Measured::memory_share},
    {"gpuUse", &Measured::gpu_use},
}};

std::optional<double> number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// Reads the numbers that are there.
void read(const Json& json, const auto& numbers, Measured& measured) {
  for (const auto& [key, member] : numbers) {
    measured.*member = number_in(json, key).value_or(measured.*member);
  }
}

/// Writes the numbers that are known. JSON has neither NaN nor infinity.
void write(const Measured& measured, const auto& numbers, Json& json) {
  for (const auto& [key, member] : numbers) {
    const std::optional<double> value = measured.*member;
    if (value && std::isfinite(*value)) json[key] = *value;
  }
}

}  // namespace

Measured measured_of(const wire::Measurement& m) {
  return {.steps = m.steps,
          .images_per_second = m.images_per_second(),
          .seconds = m.seconds,
          .data_wait_seconds = m.data_wait_seconds,
          .all_reduce_seconds = m.all_reduce_seconds,
          .role_wait_seconds = m.role_wait_seconds,
          .straggler_ratio = m.straggler_ratio,
          .step_seconds_median = m.step_seconds_median,
          .step_seconds_p99 = m.step_seconds_p99,
          .memory_share = m.memory_share,
          .gpu_use = m.gpu_use};
}

std::optional<Measured> read_measured(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto rate = number_in(json, "imagesPerSecond");
  if (!rate || !(*rate > 0) || !std::isfinite(*rate)) return std::nullopt;
  Measured measured;
  read(json, kNumbers, measured);
  read(json, kNumbersOfSteps, measured);
  measured.steps = whole_at(json, "/steps");
  for (const auto& [key, member] : kShares) measured.*member = number_in(json, key);
  return measured;
}

Json to_json(const Measured& measured) {
  Json json = {{"steps", measured.steps}};
  write(measured, kNumbers, json);
  if (measured.steps > 0) write(measured, kNumbersOfSteps, json);
  write(measured, kShares, json);
  return json;
}

}  // namespace ganscale::controller
