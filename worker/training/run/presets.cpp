#include "training/run/presets.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "config/section.h"
#include "config/units.h"

namespace ganscale::training {
namespace {

/// A column of the table of configurations; what it does not name is the same in all of them.
struct Preset {
  std::string_view name;
  int channel_base;
  int mapping_layers;
  double learning_rate;
  int batch;
  double r1_gamma;
  double ema_kimg;
  double ema_ramp_up;
  int stddev_group;
  double path_length_weight = 2;
  double style_mixing = 0.9;
  std::string_view discriminator = "resnet";
  double total_kimg = 25000;
  std::string_view precision = "fp16";
  int low_precision_resolutions = 4;
  int channel_max = 512;
  int z_dim = 512;
};

constexpr Preset kConfigF = {.name = "config-f",
                             .channel_base = 32768,
                             .mapping_layers = 8,
                             .learning_rate = 0.002,
                             .batch = 32,
                             .r1_gamma = 10,
                             .ema_kimg = 10,
                             .ema_ramp_up = 0,
                             .stddev_group = 4,
                             .precision = "fp32",
                             .low_precision_resolutions = 0};

constexpr Preset config_e() {
  Preset p = kConfigF;
  p.name = "config-e";
  p.channel_base = 16384;
  p.r1_gamma = 100;
  return p;
}

constexpr Preset stylegan2() {
  Preset p = kConfigF;
  p.name = "stylegan2";
  p.precision = "fp16";
  p.low_precision_resolutions = 4;
  return p;
}

constexpr Preset small() {
  return {.name = "small",
          .channel_base = 2048,
          .mapping_layers = 2,
          .learning_rate = 0.0025,
          .batch = 16,
          .r1_gamma = 0.05,
          .ema_kimg = 5,
          .ema_ramp_up = 0.05,
          .stddev_group = 4,
          .total_kimg = 1000,
          .precision = "fp32",
          .low_precision_resolutions = 0,
          .channel_max = 128,
          .z_dim = 128};
}

constexpr std::array kPresets = {
    kConfigF,
    config_e(),
    stylegan2(),
    Preset{"paper256", 16384, 8, 0.0025, 64, 1, 20, 0, 8},
    Preset{"paper512", 32768, 8, 0.0025, 64, 0.5, 20, 0, 8},
    Preset{"paper1024", 32768, 8, 0.002, 32, 2, 10, 0, 4},
    Preset{"cifar", 32768, 2, 0.0025, 64, 0.01, 500, 0.05, 32, 0, 0, "orig", 100000},
    small(),
};

/// What `auto` looks at.
struct Situation {
  int resolution = 0;
  std::optional<int> batch = {};
  int world_size = 1;
};

Preset choose_automatically(const Situation& in) {
  const int wanted = std::min(in.world_size * std::min(4096 / in.resolution, 32), 64);
  const int batch = in.batch.value_or(std::max(wanted, in.world_size));
  return {.name = "auto",
          .channel_base = in.resolution >= 512 ? 32768 : 16384,
          .mapping_layers = 2,
          .learning_rate = in.resolution >= 1024 ? 0.002 : 0.0025,
          .batch = batch,
          .r1_gamma = 0.0002 * in.resolution * in.resolution / batch,
          .ema_kimg = batch * 10.0 / 32,
          .ema_ramp_up = 0.05,
          .stddev_group = std::clamp(batch / in.world_size, 1, 4)};
}

Preset preset_of(const config::Node& root, const std::string& name, const Situation& situation) {
  if (name == "auto") return choose_automatically(situation);
  const auto found = std::ranges::find(kPresets, name, &Preset::name);
  if (found != kPresets.end()) return *found;
  std::string known = "auto";
  for (const Preset& preset : kPresets) known.append(", ").append(preset.name);
  config::Section(root).fail("model.preset", "expected one of " + known + ": " + name);
}

std::string number(double value) { return config::format_number(value); }

std::string yaml_of(const Preset& p) {
  const std::string optimizer =
      "  optimizer: {name: adam, learning_rate: " + number(p.learning_rate) +
      ", betas: [0, 0.99], epsilon: 1e-8}\n";
  return "model:\n  z_dim: " + std::to_string(p.z_dim) + "\n  w_dim: " + std::to_string(p.z_dim) +
         "\n  channel_base: " + std::to_string(p.channel_base) +
         "\n  channel_max: " + std::to_string(p.channel_max) +
         "\n  mapping_layers: " + std::to_string(p.mapping_layers) +
         "\n  style_mixing: " + number(p.style_mixing) +
         "\n  discriminator: " + std::string(p.discriminator) +
         "\n  mbstd_group: " + std::to_string(p.stddev_group) +
         "\n  low_precision_resolutions: " + std::to_string(p.low_precision_resolutions) +
         "\n  conv_clamp: 256\ntraining:\n  total_kimg: " + number(p.total_kimg) +
         "\n  batch: " + std::to_string(p.batch) + "\n  precision: " + std::string(p.precision) +
         "\ngenerator:\n" + optimizer + "  ema_kimg: " + number(p.ema_kimg) +
         "\n  ema_ramp_up: " + number(p.ema_ramp_up) +
         "\n  path_length_weight: " + number(p.path_length_weight) +
         "\n  path_length_interval: 4\ndiscriminator:\n" + optimizer +
         "  r1_gamma: " + number(p.r1_gamma) + "\n  r1_interval: 16\n";
}

/// Returns the scalar at section.key, if it is there.
const std::string* find_scalar(const config::Node& root, std::string_view section,
                               std::string_view key) {
  const config::Node* node = &root;
  for (const std::string_view name : {section, key}) {
    const auto* map = node->map();
    if (map == nullptr) return nullptr;
    const auto found = std::ranges::find(*map, name, &config::Node::Map::value_type::first);
    if (found == map->end()) return nullptr;
    node = &found->second;
  }
  return node->scalar();
}

std::optional<int> positive_integer(const config::Node& root, std::string_view section,
                                    std::string_view key) {
  const std::string* text = find_scalar(root, section, key);
  if (text == nullptr) return std::nullopt;
  const auto value = config::parse_integer(*text);
  if (value && *value > 0 && *value < 1 << 30) return static_cast<int>(*value);
  config::Section(root).fail(std::string(section) + "." + std::string(key),
                             "model.preset needs a positive whole number: " + *text);
}

}  // namespace

void apply_preset(config::Node& root, int world_size) {
  const std::string* name = find_scalar(root, "model", "preset");
  if (name == nullptr || *name == "none") return;
  const Situation situation{
      .resolution = positive_integer(root, "model", "resolution").value_or(256),
      .batch = positive_integer(root, "training", "batch"),
      .world_size = world_size};
  config::Node base =
      config::parse_yaml(yaml_of(preset_of(root, *name, situation)), "preset " + *name);
  config::overlay(base, root);
  root = std::move(base);
}

}  // namespace ganscale::training
