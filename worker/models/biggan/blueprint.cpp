#include "models/biggan/blueprint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linalg_qr.h>

#include "models/biggan/networks.h"
#include "models/layers/initial_weights.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::biggan {
namespace {

/// Makes a weight of normal numbers [out, ...] orthogonal: its rows if there are fewer than
/// columns, else its columns. Uniform over such matrices, as the signs of R follow the
/// numbers (Mezzadri 2007, arXiv:math-ph/0609050, Section 5).
void orthogonalize(const at::Tensor& weight) {
  const auto matrix = weight.flatten(1);
  const bool is_wide = matrix.size(0) < matrix.size(1);
  const auto [Q, R] = at::linalg_qr(is_wide ? matrix.t() : matrix);
  const auto columns = Q.mul(R.diagonal().sign());
  weight.copy_((is_wide ? columns.t() : columns).reshape(weight.sizes()));
}

/// Initializes a BigGAN: orthogonal weights, singular vectors with N(0, 1), biases with zero (our
/// choice). The rest stays as constructed.
///
/// Papers:  Brock et al. 2018, arXiv:1809.11096, Section 3; Saxe et al. 2013, arXiv:1312.6120.
void initialize(torch::nn::Module& module, std::string_view network, std::uint64_t seed) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : named_state(module)) {
    const bool is_weight = name.ends_with("weight");
    if (!is_weight && !name.ends_with("u0")) continue;
    draw_normal(tensor, seed, std::string(network) + "." + name, 0, 1);
    if (is_weight) orthogonalize(tensor);
  }
}

class BigganBlueprint : public BlueprintOf<NetworkConfig> {
 public:
  using BlueprintOf::BlueprintOf;

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<BigganGenerator>(networks(in));
    if (in.seed) initialize(*network, "generator", *in.seed);
    return network;
  }

  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<BigganDiscriminator>(networks(in));
    if (in.seed) initialize(*network, "discriminator", *in.seed);
    return network;
  }

  bool has_second_derivatives() const override { return !config().recomputes; }

  int lowest_low_precision_resolution() const override { return kFirstSize; }

  NetworkConfig networks(const BuildContext& in) const override {
    NetworkConfig c = config();
    c.channels = in.image.channels;
    c.label_count = in.label_count;
    c.low_precision_type = in.low_precision_type;
    c.recomputes = c.recomputes && !in.keeps_activations;
    c.norm.options.group = in.statistics_group;
    return c;
  }
};

void read_of(Depth depth, config::Section& in, ModelConfig& config) {
  config.blueprint = std::make_shared<BigganBlueprint>(read_networks(in, config, depth));
}

}  // namespace

void read(config::Section& in, ModelConfig& config) { read_of(Depth::kPlain, in, config); }

void read_deep(config::Section& in, ModelConfig& config) { read_of(Depth::kDeep, in, config); }

}  // namespace ganscale::models::biggan
