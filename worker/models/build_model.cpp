#include "models/build_model.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "models/dcgan.h"
#include "models/initial_weights.h"

namespace ganscale::models {
namespace {

struct Context {
  const ModelConfig& config;
  std::uint64_t seed;
  BatchNormOptions norm;

  ImageShape image() const { return {config.channels, config.resolution}; }
};

std::shared_ptr<Generator> dcgan_generator(const Context& in, int label_count) {
  auto generator =
      std::make_shared<DcganGenerator>(in.image(), in.config.z_dim, label_count, in.norm);
  initialise_dcgan(*generator, "generator", in.seed);
  return generator;
}

std::shared_ptr<Discriminator> dcgan_discriminator(const Context& in, int label_count) {
  auto discriminator = std::make_shared<DcganDiscriminator>(in.image(), label_count, in.norm);
  initialise_dcgan(*discriminator, "discriminator", in.seed);
  return discriminator;
}

struct Model {
  std::string_view name;
  bool conditional;
  std::array<int, 2> resolutions;
  std::shared_ptr<Generator> (*generator)(const Context&, int label_count);
  std::shared_ptr<Discriminator> (*discriminator)(const Context&, int label_count);
};

constexpr std::array kModels = {
    Model{"dcgan", false, {32, 64}, dcgan_generator, dcgan_discriminator},
    Model{"conditional_dcgan", true, {32, 64}, dcgan_generator, dcgan_discriminator},
};

const Model& model_of(const std::string& name) {
  const auto found = std::ranges::find(kModels, name, &Model::name);
  if (found == kModels.end()) throw ConfigError("unknown model: " + name);
  return *found;
}

int labels_of(const Model& model, const ModelConfig& config) {
  if (!model.conditional) return 0;
  if (config.label_count > 0) return config.label_count;
  throw ConfigError("model.name: " + config.name +
                    " needs labels, and the data set has none: take dcgan, or labelled data");
}

Context context_of(const ModelConfig& config, std::uint64_t seed, comm::Group* norm_group) {
  return {config, seed, {config.batch_norm, norm_group}};
}

BatchNormMode read_batch_norm(config::Section& in) {
  const std::string word =
      in.get_choice("batch_norm", "local", {"local", "synchronised", "frozen"},
                    "what moments are taken over: a rank's images, all ranks', or none");
  if (word == "local") return BatchNormMode::kLocal;
  return word == "frozen" ? BatchNormMode::kFrozen : BatchNormMode::kSynchronised;
}

}  // namespace

ModelConfig parse_model(config::Section in) {
  ModelConfig c;
  std::vector<std::string> names;
  for (const Model& model : kModels) names.emplace_back(model.name);
  c.name = in.get_choice("name", c.name, names, "the architecture of the two networks");
  c.resolution = in.get("resolution", c.resolution, "height and width of the images in pixels");
  const auto& known = model_of(c.name).resolutions;
  in.require(std::ranges::find(known, c.resolution) != known.end(), "resolution",
             c.name + " has 32 and 64, not " + std::to_string(c.resolution));
  c.z_dim = in.get("z_dim", c.z_dim, "random numbers an image is made from");
  in.require(c.z_dim > 0, "z_dim", "must be positive");
  c.batch_norm = read_batch_norm(in);
  in.reject_unread_keys();
  return c;
}

bool is_conditional(const std::string& name) { return model_of(name).conditional; }

Networks build_networks(const ModelConfig& config, std::uint64_t seed, comm::Group* norm_group) {
  const Model& model = model_of(config.name);
  const int label_count = labels_of(model, config);
  const Context context = context_of(config, seed, norm_group);
  return {model.generator(context, label_count), model.discriminator(context, label_count)};
}

std::shared_ptr<Generator> build_generator(const ModelConfig& config, std::uint64_t seed,
                                           comm::Group* norm_group) {
  const Model& model = model_of(config.name);
  return model.generator(context_of(config, seed, norm_group), labels_of(model, config));
}

}  // namespace ganscale::models
