#pragma once

#include <vector>

#include "models/layers/initial_weights.h"
#include "models/layers/linear.h"
#include "models/model_table.h"

/// A model that tests alone have: a linear layer a network.
namespace ganscale::models {

class TinyGenerator : public Generator {
 public:
  TinyGenerator(ImageShape image, int z_dim)
      : Generator(image, z_dim, /*label_count=*/0),
        linear_(register_module(
            "linear", std::make_shared<Linear>(
                          z_dim, static_cast<int>(image.channels * image.resolution.pixels())))) {}

  at::Tensor forward(const at::Tensor& z, const at::Tensor& /*labels*/,
                     kernels::RandomStream& /*random*/) override {
    const auto [channels, resolution] = image();
    return linear_->forward(z).tanh().view({-1, channels, resolution.height, resolution.width});
  }

 private:
  std::shared_ptr<Linear> linear_;
};

class TinyDiscriminator : public Discriminator {
 public:
  explicit TinyDiscriminator(ImageShape image)
      : Discriminator(image, /*label_count=*/0),
        linear_(register_module(
            "linear", std::make_shared<Linear>(
                          static_cast<int>(image.channels * image.resolution.pixels()), 1))) {}

  at::Tensor forward(const at::Tensor& images, const at::Tensor& /*labels*/,
                     kernels::RandomStream& /*random*/) override {
    return linear_->forward(images.flatten(1)).squeeze(1);
  }

 private:
  std::shared_ptr<Linear> linear_;
};

class TinyBlueprint : public Blueprint {
 public:
  explicit TinyBlueprint(int z_dim) : z_dim_(z_dim) {}

  std::shared_ptr<Generator> generator(const BuildContext& in) const override {
    auto network = std::make_shared<TinyGenerator>(in.image, z_dim_);
    if (in.seed) initialize_he(*network, "generator", *in.seed);
    return network;
  }
  std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const override {
    auto network = std::make_shared<TinyDiscriminator>(in.image);
    if (in.seed) initialize_he(*network, "discriminator", *in.seed);
    return network;
  }

 private:
  int z_dim_;
};

inline void read_tiny(config::Section& in, ModelConfig& config) {
  config.blueprint =
      std::make_shared<TinyBlueprint>(in.get("tiny_z_dim", 4, "random numbers of an image"));
}

/// Returns the table with a line more.
inline std::vector<Model> models_and_tiny() {
  const ModelTable table = model_table();
  std::vector<Model> models(table.begin(), table.end());
  models.push_back({"tiny", {}, read_tiny});
  return models;
}

}  // namespace ganscale::models
