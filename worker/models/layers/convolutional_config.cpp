#include "models/layers/convolutional_config.h"

#include <algorithm>
#include <cmath>

#include "models/layers/weighted_layer.h"

namespace ganscale::models {
namespace {

/// Reads a width from 1 to 8192.
int read_width(config::Section& in, const char* key, int fallback, const char* documentation) {
  constexpr int kMost = 8192;
  const int width = in.get(key, fallback, documentation);
  in.require(width > 0 && width <= kMost, key,
             "must be 1 to " + std::to_string(kMost) + ": " + std::to_string(width));
  return width;
}

}  // namespace

BatchNormMode read_batch_norm(config::Section& in) {
  const std::string word = in.get_choice("batch_norm", "local", {"local", "synchronized", "frozen"},
                                         "statistics of batch norms: of a rank's images, of all "
                                         "ranks' images, or frozen at their initial values");
  if (word == "local") return BatchNormMode::kLocal;
  return word == "frozen" ? BatchNormMode::kFrozen : BatchNormMode::kSynchronized;
}

ConvolutionalConfig read_convolutional(config::Section& in, const Traits& traits,
                                       ConvolutionalConfig c) {
  c.z_dim = read_width(in, "z_dim", c.z_dim, "dimension of the latent z");
  c.channels =
      in.get("channels", c.channels, "factor of the channels of all layers of both networks");
  constexpr double kMostChannels = 16;
  in.require(c.channels > 0 && c.channels <= kMostChannels, "channels",
             "must be a factor above 0, at most 16");
  c.batch_norm = read_batch_norm(in);
  c.spectral_norm = in.get("spectral_norm", c.spectral_norm,
                           "spectral normalization of the discriminator's weights");
  const std::string networks =
      in.get_choice("label_networks", "both", {"both", "generator"},
                    "networks of a conditional model that take labels: both, or the generator "
                    "alone, as in the code of Lupo Pasini et al.");
  c.scores_labels = networks == "both";
  in.require(c.scores_labels || traits.labels != Labels::kNone, "label_networks",
             "the model has no labels; use a conditional model, or leave this out");
  return c;
}

void read_label_dim(config::Section& in, const Traits& traits, ConvolutionalConfig& c) {
  const int fallback = c.label_dim;
  c.label_dim = read_width(in, "label_dim", fallback,
                           "length of the label's embedding that is appended to the latent z");
  in.require(c.label_dim == fallback || traits.labels != Labels::kNone, "label_dim",
             "the model has no labels; use a conditional model, or leave this out");
}

int scaled_width(int width, double factor) {
  return std::max(1, static_cast<int>(std::lround(width * factor)));
}

void normalize_spectra(torch::nn::Module& network) {
  for (const auto& layer : network.modules()) {
    if (auto* weighted = dynamic_cast<WeightedLayer*>(layer.get())) weighted->normalize_spectrum();
  }
}

}  // namespace ganscale::models
