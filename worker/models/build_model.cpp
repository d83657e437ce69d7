#include "models/build_model.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "models/dcgan.h"
#include "models/initial_weights.h"
#include "models/resnet.h"
#include "models/stylegan2/discriminator.h"
#include "models/stylegan2/generator.h"
#include "models/stylegan2/stddev_layer.h"

namespace ganscale::models {
namespace {

struct Context {
  const ModelConfig& config;
  std::uint64_t seed;
  comm::Group* statistics_group;
  int label_count;

  ImageShape image() const { return {config.channels, config.resolution}; }
  BatchNormOptions norm() const { return {config.batch_norm, statistics_group}; }
  stylegan2::NetworkConfig stylegan2() const {
    stylegan2::NetworkConfig c = config.stylegan2;
    c.resolution = config.resolution;
    c.channels = config.channels;
    c.label_count = label_count;
    const bool shares = c.stddev_groups == stylegan2::StddevGroups::kExact;
    c.stddev_ranks = shares ? statistics_group : nullptr;
    return c;
  }
};

std::shared_ptr<Generator> dcgan_generator(const Context& in) {
  auto generator =
      std::make_shared<DcganGenerator>(in.image(), in.config.z_dim, in.label_count, in.norm());
  initialize_dcgan(*generator, "generator", in.seed);
  return generator;
}

void normalize_spectra_if_asked(const Context& in, torch::nn::Module& discriminator) {
  if (!in.config.spectral_norm) return;
  for (const auto& layer : discriminator.modules()) {
    if (auto* convolution = dynamic_cast<Convolution*>(layer.get())) {
      convolution->normalize_spectrum();
    } else if (auto* linear = dynamic_cast<Linear*>(layer.get())) {
      linear->normalize_spectrum();
    } else if (auto* embedding = dynamic_cast<Embedding*>(layer.get())) {
      embedding->normalize_spectrum();
    }
  }
}

std::shared_ptr<Discriminator> dcgan_discriminator(const Context& in) {
  auto discriminator = std::make_shared<DcganDiscriminator>(in.image(), in.label_count, in.norm());
  normalize_spectra_if_asked(in, *discriminator);
  initialize_dcgan(*discriminator, "discriminator", in.seed);
  return discriminator;
}

// A batch norm mixes images, which a gradient penalty of each forbids: with its running statistics
// left as they are it is a scale and a shift.
std::shared_ptr<Discriminator> wgan_critic(const Context& in) {
  auto critic = std::make_shared<DcganDiscriminator>(
      in.image(), in.label_count, BatchNormOptions{BatchNormMode::kFrozen, nullptr});
  normalize_spectra_if_asked(in, *critic);
  initialize_dcgan(*critic, "discriminator", in.seed);
  return critic;
}

std::shared_ptr<Generator> resnet_generator(const Context& in) {
  auto generator =
      std::make_shared<ResnetGenerator>(in.image(), in.config.z_dim, in.label_count, in.norm());
  initialize_he(*generator, "generator", in.seed);
  return generator;
}

std::shared_ptr<Discriminator> resnet_critic(const Context& in) {
  auto critic = std::make_shared<ResnetCritic>(in.image(), in.label_count);
  normalize_spectra_if_asked(in, *critic);
  initialize_he(*critic, "discriminator", in.seed);
  return critic;
}

std::shared_ptr<Generator> stylegan2_generator(const Context& in) {
  auto generator = std::make_shared<stylegan2::StyleganGenerator>(in.stylegan2());
  initialize_stylegan2(*generator, "generator", in.seed);
  return generator;
}

std::shared_ptr<Discriminator> stylegan2_discriminator(const Context& in) {
  auto discriminator = std::make_shared<stylegan2::StyleganDiscriminator>(in.stylegan2());
  initialize_stylegan2(*discriminator, "discriminator", in.seed);
  return discriminator;
}

BatchNormMode read_batch_norm(config::Section& in) {
  const std::string word =
      in.get_choice("batch_norm", "local", {"local", "synchronized", "frozen"},
                    "what moments are taken over: a rank's images, all ranks', or none");
  if (word == "local") return BatchNormMode::kLocal;
  return word == "frozen" ? BatchNormMode::kFrozen : BatchNormMode::kSynchronized;
}

void read_latent_and_norms(config::Section& in, ModelConfig& c) {
  c.z_dim = in.get("z_dim", c.z_dim, "random numbers an image is made from");
  constexpr int kMost = 8192;
  in.require(c.z_dim > 0 && c.z_dim <= kMost, "z_dim",
             "must be 1 to " + std::to_string(kMost) + ": " + std::to_string(c.z_dim));
  c.batch_norm = read_batch_norm(in);
  c.spectral_norm = in.get("spectral_norm", c.spectral_norm,
                           "whether the discriminator's weights are divided by their largest "
                           "singular value");
}

void read_dcgan(config::Section& in, ModelConfig& c) {
  in.require(c.resolution == 32 || c.resolution == 64, "resolution",
             c.name + " has 32 and 64, not " + std::to_string(c.resolution));
  read_latent_and_norms(in, c);
}

void read_resnet(config::Section& in, ModelConfig& c) {
  in.require(c.resolution == 32, "resolution",
             c.name + " has 32, not " + std::to_string(c.resolution));
  read_latent_and_norms(in, c);
}

void read_stylegan2(config::Section& in, ModelConfig& c) {
  in.get("preset", "none", "the values that other keys start from; see docs/stylegan2.md");
  c.conditional =
      in.get("conditional", c.conditional, "whether the networks take the data's labels");
  c.stylegan2 = stylegan2::read_networks(in, c.resolution);
}

enum class Labels { kNone, kNeeded, kOptional };

struct Model {
  std::string_view name;
  Labels labels;
  void (*read)(config::Section&, ModelConfig&);
  std::shared_ptr<Generator> (*generator)(const Context&);
  std::shared_ptr<Discriminator> (*discriminator)(const Context&);
};

constexpr std::array kModels = {
    Model{"dcgan", Labels::kNone, read_dcgan, dcgan_generator, dcgan_discriminator},
    Model{"conditional_dcgan", Labels::kNeeded, read_dcgan, dcgan_generator, dcgan_discriminator},
    Model{"wgan", Labels::kNone, read_dcgan, dcgan_generator, wgan_critic},
    Model{"conditional_wgan", Labels::kNeeded, read_dcgan, dcgan_generator, wgan_critic},
    Model{"wgan_resnet", Labels::kNone, read_resnet, resnet_generator, resnet_critic},
    Model{"conditional_wgan_resnet", Labels::kNeeded, read_resnet, resnet_generator, resnet_critic},
    Model{"stylegan2", Labels::kOptional, read_stylegan2, stylegan2_generator,
          stylegan2_discriminator},
};

const Model& model_of(const std::string& name) {
  const auto found = std::ranges::find(kModels, name, &Model::name);
  if (found == kModels.end()) throw ConfigError("unknown model: " + name);
  return *found;
}

Context context_of(const ModelConfig& config, std::uint64_t seed, comm::Group* statistics_group) {
  const bool takes = takes_labels(config);
  if (takes && config.label_count == 0) {
    throw ConfigError("model.name: " + config.name +
                      " needs labels, and the dataset has none: take a model without labels, or "
                      "labeled data");
  }
  return {config, seed, statistics_group, takes ? config.label_count : 0};
}

}  // namespace

ModelConfig parse_model(config::Section in) {
  ModelConfig c;
  std::vector<std::string> names;
  for (const Model& model : kModels) names.emplace_back(model.name);
  c.name = in.get_choice("name", c.name, names, "the architecture of the two networks");
  c.resolution = in.get("resolution", c.resolution, "height and width of the images in pixels");
  model_of(c.name).read(in, c);
  in.reject_unread_keys();
  return c;
}

bool takes_labels(const ModelConfig& config) {
  const Labels labels = model_of(config.name).labels;
  return labels == Labels::kNeeded || (labels == Labels::kOptional && config.conditional);
}

bool has_mixing_critic(const ModelConfig& config) {
  const auto build = model_of(config.name).discriminator;
  return build == dcgan_discriminator && config.batch_norm != BatchNormMode::kFrozen;
}

int statistics_color(const ModelConfig& config, std::int64_t batch, const comm::Group& world) {
  const stylegan2::NetworkConfig& c = config.stylegan2;
  if (config.name != "stylegan2" || c.stddev_features == 0) return 0;
  const int world_size = world.size();
  const auto ranks_of = [&](int ranks) {
    return stylegan2::ranks_of_a_group(c.stddev_group, batch / world_size, ranks);
  };
  if (c.stddev_groups == stylegan2::StddevGroups::kLocal) {
    ranks_of(1);  // throws where a rank's batch has no whole groups
    return 0;
  }
  return world.rank() % (world_size / ranks_of(world_size));
}

Networks build_networks(const ModelConfig& config, std::uint64_t seed,
                        comm::Group* statistics_group) {
  const Model& model = model_of(config.name);
  const Context context = context_of(config, seed, statistics_group);
  return {model.generator(context), model.discriminator(context)};
}

std::shared_ptr<Generator> build_generator(const ModelConfig& config, std::uint64_t seed,
                                           comm::Group* statistics_group) {
  return model_of(config.name).generator(context_of(config, seed, statistics_group));
}

}  // namespace ganscale::models
