#include "models/layers/convolutional_config.h"

#include "models/layers/convolution.h"
#include "models/layers/embedding.h"
#include "models/layers/linear.h"

namespace ganscale::models {

BatchNormMode read_batch_norm(config::Section& in) {
  const std::string word = in.get_choice("batch_norm", "local", {"local", "synchronized", "frozen"},
                                         "statistics of batch norms: of a rank's images, of all "
                                         "ranks' images, or frozen at their initial values");
  if (word == "local") return BatchNormMode::kLocal;
  return word == "frozen" ? BatchNormMode::kFrozen : BatchNormMode::kSynchronized;
}

ConvolutionalConfig read_convolutional(config::Section& in, ConvolutionalConfig c) {
  c.z_dim = in.get("z_dim", c.z_dim, "dimension of the latent z");
  constexpr int kMost = 8192;
  in.require(c.z_dim > 0 && c.z_dim <= kMost, "z_dim",
             "must be 1 to " + std::to_string(kMost) + ": " + std::to_string(c.z_dim));
  c.batch_norm = read_batch_norm(in);
  c.spectral_norm = in.get("spectral_norm", c.spectral_norm,
                           "spectral normalization of the discriminator's weights");
  return c;
}

void normalize_spectra(torch::nn::Module& network) {
  for (const auto& layer : network.modules()) {
    if (auto* convolution = dynamic_cast<Convolution*>(layer.get())) {
      convolution->normalize_spectrum();
    } else if (auto* linear = dynamic_cast<Linear*>(layer.get())) {
      linear->normalize_spectrum();
    } else if (auto* embedding = dynamic_cast<Embedding*>(layer.get())) {
      embedding->normalize_spectrum();
    }
  }
}

}  // namespace ganscale::models
