#include "models/stylegan2/config.h"

#include <bit>

#include "models/stylegan/mapping_keys.h"

namespace ganscale::models::stylegan2 {
namespace {

constexpr EnumNames<NoiseMode, 2> kNoiseModes{
    {{NoiseMode::kRandom, "random"}, {NoiseMode::kConstant, "constant"}}};

void read_generator(config::Section& in, NetworkConfig& c) {
  stylegan::read_dimensions(in, c);
  c.channel_base =
      in.get("channel_base", c.channel_base,
             "channels at a resolution: channel_base / resolution, at most channel_max");
  c.channel_max = in.get("channel_max", c.channel_max, "maximum number of channels");
  stylegan::read_mapping(in, c);
  c.style_mixing =
      in.get("style_mixing", c.style_mixing, "probability of style mixing during training");
  c.noise =
      in.get_choice("noise", c.noise, kNoiseModes, "noise inputs of the layers during training");
}

void require_possible(const config::Section& in, const NetworkConfig& c) {
  stylegan::require_possible(in, c, "stylegan2", /*lowest_resolution=*/8);
  stylegan::require_mapping(in, c);
  in.require(c.style_mixing >= 0 && c.style_mixing <= 1, "style_mixing", "must be in [0, 1]");
}

}  // namespace

int NetworkConfig::w_count() const {
  return 2 * std::countr_zero(static_cast<unsigned>(resolution.shorter_side())) - 2;
}

NetworkConfig read_networks(config::Section& in, const ModelConfig& model) {
  NetworkConfig c;
  c.resolution = model.resolution;
  read_generator(in, c);
  stylegan::read_discriminator(in, c);
  stylegan::read_precision(in, model, c);
  require_possible(in, c);
  return c;
}

}  // namespace ganscale::models::stylegan2
