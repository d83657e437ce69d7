#pragma once

#include <optional>
#include <vector>

#include "config/section.h"
#include "models/contract/model.h"
#include "models/layers/batch_norm.h"

namespace ganscale::models::biggan {

/// Height and width of the first layer of G.
inline constexpr int kFirstSize = 4;

/// The residual blocks of both networks.
enum class Depth {
  kPlain,  ///< BigGAN: two 3x3 convolutions a block, a block a resolution
  kDeep,   ///< BigGAN-deep: bottlenecks of four convolutions, two a resolution
};

/// The shape of both networks.
struct NetworkConfig {
  Depth depth = Depth::kPlain;
  int resolution = 32;  ///< a power of two, 32 to 1024
  int channels = 3;     ///< of the images
  int label_count = 0;  ///< at least 1
  int z_dim = 80;
  int shared_dim = 128;  ///< of the label embedding that all batch norms of G share
  /// Each stage of a BigGAN has a part of z of its own (all stages of a BigGAN-deep have all of z);
  /// false: z enters the first layer only.
  bool is_hierarchical = true;
  int generator_channels = 64;  ///< the papers' ch
  int discriminator_channels = 64;
  std::vector<std::int64_t> attention = {};  ///< the resolutions after which it comes
  double spectral_epsilon = 1e-12;           ///< of spectral normalization
  BatchNormRule norm = {};                   ///< of G's batch norms
  bool recomputes = false;  ///< the backward pass computes the blocks again; see recompute.h
  /// bfloat16; float32 for networks trained in it.
  std::optional<at::ScalarType> low_precision_type = {};

  /// Returns the number of parts of a BigGAN's z: one for the first layer and one for each stage.
  int z_chunks() const;
  /// Returns the dtype in which the stages compute; `dtype` is the parameters'.
  at::ScalarType compute_type(at::ScalarType dtype) const {
    return low_precision_type.value_or(dtype);
  }
};

/// The blocks of one resolution, and what comes after them.
struct Stage {
  int in_channels = 0;
  int out_channels = 0;
  bool resamples = true;  ///< upsamples in G, halves in D
  bool has_attention = false;
};

/// Return the stages from the first one on. Widths are multiples of ch:
///
/// | | G | D |
/// |---|---|---|
/// | 32 | 4 4 4 4 | 4 4 4 4, two halve |
/// | 64 | 16 16 8 4 2 | 1 2 4 8 16 |
/// | 128 | 16 16 8 4 2 1 | 1 2 4 8 16 16 |
/// | 256 | 16 16 8 8 4 2 1 | 1 2 4 8 8 16 16 |
/// | 512 | 16 16 8 8 4 2 1 1 | 1 1 2 4 8 8 16 16 |
/// | 1024 | 16 16 8 8 4 2 1 1 1 | 1 1 1 2 4 8 8 16 16 |
///
/// A stage of G, and of a deep D, leads from one of these widths to the next; a stage of a plain D
/// to each of them, the first from the images.
///
/// Papers: Brock et al. 2018, arXiv:1809.11096, Appendix B, Tables 4 to 9, for 128 to 512; the
///         public PyTorch implementation for 32 and 64; 1024 is ours.
std::vector<Stage> generator_stages(const NetworkConfig& config);
std::vector<Stage> discriminator_stages(const NetworkConfig& config);

/// Reads the keys of `model` that are specific to this model. Throws ConfigError.
NetworkConfig read_networks(config::Section& in, const ModelConfig& model, Depth depth);

}  // namespace ganscale::models::biggan
