#include "models/dcgan/blueprint.h"

#include <ATen/core/grad_mode.h>

#include <cmath>
#include <string>

#include "base/enum_names.h"
#include "models/contract/power_of_two_sides.h"
#include "models/dcgan/networks.h"
#include "models/layers/convolutional_config.h"
#include "models/layers/initial_weights.h"
#include "tensors/named_tensors.h"

namespace ganscale::models {
namespace {

/// What the weights of a network begin as.
enum class InitialWeights {
  kNormal,        ///< DC-GAN's
  kConvolutions,  ///< DC-GAN's in weights of convolutions and batch norms, otherwise PyTorch's
  kPytorch,       ///< what torch.nn fills its layers with
};

constexpr EnumNames<InitialWeights, 3> kInitialWeights{
    {{InitialWeights::kNormal, "normal"},
     {InitialWeights::kConvolutions, "convolutions"},
     {InitialWeights::kPytorch, "pytorch"}}};

/// A parameter of a layer.
struct LayerParameter {
  std::string name;
  at::Tensor values;
  at::Tensor weight;  ///< of the layer: of a batch norm, its scales

  bool is_bias() const { return name.ends_with("bias"); }
  bool is_of_batch_norm() const { return weight.dim() == 1; }
  bool is_label_vector() const { return name.find("label_") != std::string::npos; }
  double inputs() const { return static_cast<double>(weight.numel() / weight.size(0)); }
};

bool begins_as_in_pytorch(const LayerParameter& parameter, InitialWeights kind) {
  if (kind != InitialWeights::kConvolutions) return kind == InitialWeights::kPytorch;
  const bool is_of_convolution = parameter.weight.dim() == 4;
  return !parameter.is_of_batch_norm() && (parameter.is_bias() || !is_of_convolution);
}

/// Label vectors: N(0, 1). Weights and biases of other layers: uniform within 1 / sqrt(fan-in).
/// Batch norms: 1 and 0.
void initialize_as_in_pytorch(const LayerParameter& parameter, std::uint64_t seed) {
  if (parameter.is_of_batch_norm()) {
    parameter.values.fill_(parameter.is_bias() ? 0 : 1);
  } else if (parameter.is_label_vector()) {
    draw_normal(parameter.values, seed, parameter.name, 0, 1);
  } else {
    draw_uniform(parameter.values, seed, parameter.name, 1 / std::sqrt(parameter.inputs()));
  }
}

/// Convolutions, linear layers and label vectors of D: N(0, 0.02). Scales of batch norms:
/// N(1, 0.02). The label embedding of G, which is concatenated with z: N(0, 1). Biases: zero.
///
/// he: convolutions, linear layers and label vectors of D: N(0, 2 / fan-in) instead. Without batch
///     statistics, N(0, 0.02) shrinks the signal in each layer: the gradients of a critic would be
///     almost zero until the gradient penalty has made its weights grow.
///
/// Paper:   Radford et al. 2016, arXiv:1511.06434, Section 4 ("zero-centered Normal distribution
///          with standard deviation 0.02"); label vectors are our choice. He et al. 2015,
///          arXiv:1502.01852, Eq. (10), as the code of Gulrajani et al. 2017 for its critics.
void initialize_as_dcgan(const LayerParameter& parameter, std::uint64_t seed, bool he) {
  if (parameter.is_bias()) {
    parameter.values.zero_();
  } else if (parameter.name.ends_with("label_embedding.weight")) {
    draw_normal(parameter.values, seed, parameter.name, 0, 1);
  } else if (parameter.is_of_batch_norm()) {
    draw_normal(parameter.values, seed, parameter.name, 1, 0.02);
  } else {
    const double deviation = he ? std::sqrt(2 / parameter.inputs()) : 0.02;
    draw_normal(parameter.values, seed, parameter.name, 0, deviation);
  }
}

void initialize(torch::nn::Module& module, std::string_view network, std::uint64_t seed,
                InitialWeights kind, bool he = false) {
  const at::NoGradGuard no_grad;
  initialize_singular_vectors(module, network, seed);
  const NamedTensors parameters = named_parameters(module);
  for (const auto& [name, values] : parameters) {
    const std::string layer = name.substr(0, name.rfind('.'));
    const LayerParameter parameter{.name = std::string(network) + "." + name,
                                   .values = values,
                                   .weight = parameters.at(layer + ".weight")};
    if (begins_as_in_pytorch(parameter, kind)) {
      initialize_as_in_pytorch(parameter, seed);
    } else {
      initialize_as_dcgan(parameter, seed, he);
    }
  }
}

struct DcganConfig : ConvolutionalConfig {
  Dropout dropout = Dropout::kElements;
  InitialWeights initial_weights = InitialWeights::kNormal;
};

class DcganBlueprint : public Blueprint {
 public:
  /// critic_norm: of the discriminator. A frozen batch norm is a scale and a shift.
  DcganBlueprint(const DcganConfig& config, BatchNormMode critic_norm)
      : config_(config), critic_norm_(critic_norm) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<DcganGenerator>(
        in.image, DcganOptions{.z_dim = config_.z_dim,
                               .label_dim = config_.label_dim,
                               .label_count = in.label_count,
                               .channels = config_.channels,
                               .norm = {config_.batch_norm, in.statistics_group},
                               .low_precision_type = in.low_precision_type});
    if (in.seed) initialize(*network, "generator", *in.seed, config_.initial_weights);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<DcganDiscriminator>(
        in.image, DcganOptions{.label_count = config_.scores_labels ? in.label_count : 0,
                               .channels = config_.channels,
                               .dropout = config_.dropout,
                               .norm = {critic_norm_, in.statistics_group},
                               .low_precision_type = in.low_precision_type});
    if (config_.spectral_norm) normalize_spectra(*network);
    if (in.seed) {
      initialize(*network, "discriminator", *in.seed, config_.initial_weights,
                 critic_norm_ == BatchNormMode::kFrozen);
    }
    return network;
  }

  int lowest_low_precision_resolution() const override { return kLastSize; }

  bool has_mixing_critic() const override { return critic_norm_ != BatchNormMode::kFrozen; }

 private:
  DcganConfig config_;
  BatchNormMode critic_norm_;
};

DcganConfig read_keys(config::Section& in, const ModelConfig& config) {
  require_sides(in, config.name, config.resolution, {.lowest = 32, .highest = 256});
  DcganConfig keys{read_convolutional(in, config.traits)};
  read_label_dim(in, config.traits, keys);
  const auto dropout =
      in.get_choice("dropout", "elements", {"elements", "channels"},
                    "what the discriminator's dropout sets to zero: single values, "
                    "or whole channels of an image, as the code of Lupo Pasini et "
                    "al.");
  keys.dropout = dropout == "channels" ? Dropout::kChannels : Dropout::kElements;
  keys.initial_weights =
      in.get_choice("initial_weights", keys.initial_weights, kInitialWeights,
                    "what weights begin as: normal, DC-GAN's N(0, 0.02) and biases of zero; "
                    "pytorch, what PyTorch "
                    "fills its layers with; convolutions, normal in convolutions and pytorch in "
                    "linear layers and "
                    "biases, as the code of Lupo Pasini et al. has it in its DC-GAN");
  return keys;
}

}  // namespace

void read_dcgan(config::Section& in, ModelConfig& config) {
  const auto keys = read_keys(in, config);
  config.blueprint = std::make_shared<DcganBlueprint>(keys, keys.batch_norm);
}

void read_wgan(config::Section& in, ModelConfig& config) {
  config.blueprint =
      std::make_shared<DcganBlueprint>(read_keys(in, config), BatchNormMode::kFrozen);
}

}  // namespace ganscale::models
