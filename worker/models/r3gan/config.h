#pragma once

#include <ATen/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "config/section.h"
#include "models/contract/model.h"

namespace ganscale::models::r3gan {

/// Shorter side of the first stage of G and of the last one of D.
inline constexpr int kFirstSize = 4;

/// A stage of both networks: all blocks of one resolution.
struct Stage {
  std::int64_t width = 0;        ///< channels between its blocks
  std::int64_t cardinality = 1;  ///< groups of the convolution inside a block
  std::int64_t blocks = 1;
};

/// The shape of both networks.
struct NetworkConfig {
  Resolution resolution = {};  ///< both sides are powers of two, from 8 on
  int channels = 3;            ///< of the images
  int z_dim = 64;
  int label_count = 0;                 ///< 0: unconditional
  int label_dim = 64;                  ///< numbers of a label that are appended to z
  std::int64_t score_label_dim = 768;  ///< numbers that D compares with a label's
  std::vector<Stage> stages;           ///< of G, from 4x4 up; D has the same from the images down
  std::int64_t expansion = 2;          ///< channels inside a block, by its width
  int low_precision_resolutions = 0;  ///< the highest ones, which compute in the low-precision type
  std::optional<at::ScalarType> low_precision_type = {};

  /// Returns the height and width of the first stage of G and of the last one of D.
  Resolution first_size() const { return resolution.scaled_to(kFirstSize); }
  /// Returns the dtype in which a stage computes; `dtype` is the parameters'.
  at::ScalarType compute_type(std::size_t stage, at::ScalarType dtype) const;
  /// Returns how many blocks a network has.
  std::int64_t block_count() const;
};

/// Reads the keys of `model` that are specific to this model. Widths and groups of stages follow
/// from a few numbers, as in all published configurations, or are listed. Throws ConfigError.
NetworkConfig read_networks(config::Section& in, const ModelConfig& model);

}  // namespace ganscale::models::r3gan
