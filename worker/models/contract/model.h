#pragma once

#include <ATen/core/ScalarType.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "comm/group/group.h"
#include "config/section.h"
#include "models/contract/networks.h"

/// How the rest of the worker sees a model: a line of the table in model_table.cpp and, once its
/// section of the configuration is parsed, a blueprint of its networks.
namespace ganscale::models {

/// Whether the networks are conditioned on labels.
enum class Labels {
  kNone,
  kNeeded,
  kOptional,  ///< if ModelConfig::conditional
};

/// Properties of a model that a run needs before the networks exist.
struct Traits {
  Labels labels = Labels::kNone;
  bool has_styles = false;    ///< the generator is a StyleGenerator
  bool moves_images = false;  ///< it has a StyleGenerator::input_transform()
  bool has_float16 = false;   ///< its activations stay within the range of float16
  /// Generators that are trained for truncated latents, see models/latent_truncation.h.
  bool truncates_latents = false;
  /// The page of the documentation that lists its presets; empty: there are none.
  std::string_view presets_page = {};
};

/// What networks are built for, in addition to their blueprint.
struct BuildContext {
  ImageShape image = {};
  int label_count = 0;  ///< 0: unconditional
  std::optional<at::ScalarType> low_precision_type = {};
  bool keeps_activations = false;  ///< see ModelConfig
  /// Of the initial weights; nullopt: not drawn, as they are loaded or copied, or never computed
  /// with.
  std::optional<std::uint64_t> seed = {};
  comm::Group* statistics_group = nullptr;  ///< see build_networks()
};

/// The parsed keys of one model, and how to build its networks from them.
class Blueprint {
 public:
  virtual ~Blueprint() = default;

  /// Both networks start on the CPU, in float32 and training mode, with their initial weights.
  virtual std::shared_ptr<Generator> generator(const BuildContext& in) const = 0;
  virtual std::shared_ptr<Discriminator> discriminator(const BuildContext& in) const = 0;

  /// Whether the discriminator has batch norms that mix images, so that the score of an image
  /// depends on the others.
  virtual bool has_mixing_critic() const { return false; }

  /// Whether the discriminator has second derivatives, as penalties of its gradient need.
  virtual bool has_second_derivatives() const { return true; }

  /// Returns the lowest resolution (shorter side) whose layers compute in
  /// ModelConfig::low_precision_type; above all resolutions if none does.
  virtual int lowest_low_precision_resolution() const { return std::numeric_limits<int>::max(); }

  /// Returns the color that splits the world into groups of ranks that share statistics of
  /// images: of a synchronized batch norm, or of a group of the minibatch standard deviation.
  /// Throws ConfigError if the batch, of one pass through the networks, can't be divided that way.
  virtual int statistics_color(std::int64_t /*batch*/, const comm::Group& /*world*/) const {
    return 0;
  }
};

/// A blueprint that builds both networks from one configuration, the struct that the model's keys
/// are read into.
template <class NetworkConfig>
class BlueprintOf : public Blueprint {
 public:
  explicit BlueprintOf(const NetworkConfig& config) : config_(config) {}

  /// Returns the configuration of the networks for these images, labels and ranks.
  virtual NetworkConfig networks(const BuildContext& in) const = 0;

 protected:
  const NetworkConfig& config() const { return config_; }

 private:
  NetworkConfig config_;
};

/// The section `model`, with what the dataset and the device add.
struct ModelConfig {
  std::string name = {};
  Traits traits = {};
  Resolution resolution = {};
  bool conditional = false;  ///< for Labels::kOptional
  std::shared_ptr<const Blueprint> blueprint = {};

  int channels = 3;     ///< of the dataset: 1 or 3
  int label_count = 0;  ///< of the dataset; 0: no labels
  /// What most layers compute in if the run asks for less than float32: bfloat16, or float16 of a
  /// model that has it; float32 after compute_in_float32().
  std::optional<at::ScalarType> low_precision_type = {};
  LayoutPolicy layout = {};
  /// Backward passes recompute nothing, whatever the model's keys say: each layer is in the graph.
  bool keeps_activations = false;

  /// Lets all layers compute in float32, for a CPU. Everything else, such as clamps, stays as in
  /// low precision.
  void compute_in_float32() {
    if (low_precision_type) low_precision_type = at::kFloat;
  }
};

/// The format of published weights that scripts/convert-weights.py writes and `ganscale import`
/// reads. Its metadata may also have a `precision`, of the section `training`.
struct PublicWeights {
  std::string_view kind;                   ///< value of `kind` in the metadata of the file
  std::span<const std::string_view> keys;  ///< of the section `model`, stored in the metadata
};

/// A line of the table.
struct Model {
  std::string_view name;
  Traits traits = {};
  /// Reads the model's own keys and sets the blueprint. Name, resolution, `conditional` and
  /// low_precision_type are set already. Throws ConfigError.
  void (*read)(config::Section& in, ModelConfig& config);
  const PublicWeights* public_weights = nullptr;  ///< null: none
};

using ModelTable = std::span<const Model>;

}  // namespace ganscale::models
