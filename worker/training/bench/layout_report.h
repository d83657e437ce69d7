#pragma once

#include <ATen/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/resolution.h"
#include "cost/matrix_units.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// The channels that a layer takes and gives.
struct LayerChannels {
  std::int64_t in = 0;
  std::int64_t out = 0;
  bool operator==(const LayerChannels&) const = default;
};

/// A convolution or linear layer as it is computed.
struct LaidOutLayer {
  std::string name = {};        ///< its parameter's without "weight"
  std::string type = {};        ///< "bf16"
  std::string memory = {};      ///< of the features: "channels last"; empty for vectors
  LayerChannels channels = {};  ///< of the parameter
  LayerChannels padded = {};
  std::int64_t padded_vectors = 0;  ///< in a pass of a linear layer with a pad; else 0
  std::int64_t kernel = 1;
  Resolution pixels = 1;     ///< of the result
  double multiply_adds = 0;  ///< without padding
  double in_tiles = 0;       ///< multiply-adds of whole tiles; 0: it takes no matrix units
};

struct LaidOutNetwork {
  std::string name = {};
  std::int64_t images = 0;  ///< in a pass
  std::vector<LaidOutLayer> layers = {};
};

/// What models::LayoutPolicy and training.precision make of a run on one kind of device.
struct LayoutReport {
  const cost::Device& device;
  bool is_plain = false;
  std::string precision = {};
  bool joins_batches = false;  ///< reals and fakes pass through D together
  std::vector<LaidOutNetwork> networks = {};
};

/// Returns the layers of both networks in the order of a forward pass of one rank, by running it on
/// LibTorch's meta device: the true shapes, types and strides, but no numbers.
///
/// config: of the run, with model.channels and model.label_count of the data.
/// device: one of the table; CPU-core stands for a CPU.
LayoutReport report_layout(RunConfig config, const cost::Device& device);

/// Returns a table with a line for each layer, and the share of useful multiply-adds in
/// those of the tiles.
std::string to_table(const LayoutReport& report);

}  // namespace ganscale::training
