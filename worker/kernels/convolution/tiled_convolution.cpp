#include "kernels/convolution/tiled_convolution.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/rounded_up.h"
#include "kernels/convolution/vectors.h"
#include "kernels/launch/kernel_path.h"

namespace ganscale::kernels::tiles {
namespace {

constexpr std::int64_t kFewestPixels = 64;
/// Values between two matrices. Without them, a row would have the same place in the cache in all.
constexpr std::int64_t kGap = 16;
/// Tiles of a block: as many as make its matrices as large as those of the weights, within these
/// bounds.
constexpr std::int64_t kFewestTiles = 32;
constexpr std::int64_t kMostTiles = 128;
/// Values of a block's patches and gradients at a position, for weight gradients.
constexpr std::int64_t kBlockValues = 16384;
/// Values of the sums of all parts.
constexpr std::int64_t kPartsValues = 1048576;
constexpr std::int64_t kFewestParts = 4;
constexpr std::int64_t kMostParts = 16;
constexpr std::int64_t kInputsOfThread = 32;

const Passes& passes_of(const Layer& layer) {
  return has_avx512() ? layer.method.avx512 : layer.method.avx2;
}

std::int64_t divided_up(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }

/// The strides of a weight, and the offset of its first tap.
struct Weights {
  Strides strides;
  std::int64_t first;
};

/// A transposed convolution rotates the kernel by 180 degrees: its first tap is the last in memory.
Weights strides_of(const at::Tensor& weight, bool transposed) {
  const auto stride = [&](std::int64_t axis) { return weight.stride(axis); };
  if (!transposed) return {{stride(1), stride(0), stride(2), stride(3)}, 0};
  return {{stride(0), stride(1), -stride(2), -stride(3)},
          (kKernelSize - 1) * (stride(2) + stride(3))};
}

/// Matrices and their memory.
struct Room {
  at::Tensor memory;
  Matrices matrices;
};

/// Returns room with any contents for [positions, rows, channels].
Room room_for(std::int64_t positions, std::int64_t rows, std::int64_t channels) {
  const std::int64_t values = rows * channels + kGap;
  at::Tensor memory = at::empty({positions, values}, at::kFloat);
  auto* first = memory.mutable_data_ptr<float>();
  return {std::move(memory), {first, rows, channels, values}};
}

struct BlockRoom {
  BlockRoom(const Layer& layer, std::int64_t count)
      : patches(
            room_for(layer.method.positions, rounded_up(count, kTileMultiple), layer.shape.inputs)),
        tiles(room_for(layer.method.tile_positions, rounded_up(count, kTileMultiple),
                       layer.shape.outputs)) {}

  Block with(std::int64_t first, std::int64_t count) const {
    return {first, count, patches.matrices, tiles.matrices};
  }

  Room patches;
  Room tiles;
};

Room transformed(const Layer& layer, const at::Tensor& weight) {
  Room room = room_for(layer.method.positions, layer.shape.inputs, layer.shape.outputs);
  const Weights from = strides_of(weight, layer.transposed);
  const float* first = weight.const_data_ptr<float>() + from.first;
  at::parallel_for(
      0, layer.shape.inputs, kInputsOfThread, [&](std::int64_t begin, std::int64_t end) {
        passes_of(layer).read_weights(first, from.strides, {begin, end}, room.matrices);
      });
  return room;
}

std::int64_t tiles_of_block(const Shape& of) {
  const std::int64_t as_weights = of.inputs * of.outputs / (of.inputs + of.outputs);
  const std::int64_t of_thread = divided_up(of.tiles(), at::get_num_threads());
  return rounded_up(std::min(std::clamp(as_weights, kFewestTiles, kMostTiles), of_thread),
                    kTileMultiple);
}

/// Returns the tiles of a block whose products a weight gradient sums.
std::int64_t tiles_of_sums(const Shape& of) {
  const std::int64_t by_memory = std::max(kBlockValues / (of.inputs + of.outputs), kTileMultiple);
  return rounded_up(std::min(by_memory, of.tiles()), kTileMultiple);
}

/// What a weight gradient is computed from.
struct Images {
  const float* x;
  const float* zeros;  ///< as many as x has channels
  const float* gradient;
};

void read(const Layer& layer, const Images& images, const Block& block) {
  passes_of(layer).read_patches(layer.shape, images.x, images.zeros, block);
  passes_of(layer).read_gradients(layer.shape, images.gradient, block);
}

/// Returns how many parts of the tiles have sums of their own, which depends on the layer only; 1
/// if there would be too few for the threads.
std::int64_t parts_of(const Layer& layer) {
  const Shape& of = layer.shape;
  const std::int64_t by_memory = kPartsValues / (layer.method.positions * of.inputs * of.outputs);
  const std::int64_t parts =
      std::min({by_memory, kMostParts, divided_up(of.tiles(), tiles_of_sums(of))});
  return parts < kFewestParts ? 1 : parts;
}

Room zeros_for(const Layer& layer) {
  Room sums = room_for(layer.method.positions, layer.shape.inputs, layer.shape.outputs);
  sums.memory.zero_();
  return sums;
}

/// Sums the products of patches and gradients of all tiles. Each thread takes some parts of them,
/// and no numbers that another one has transformed.
Room summed_in_parts(const Layer& layer, const Images& images, std::int64_t parts) {
  std::vector<Room> sums;
  for (std::int64_t part = 0; part < parts; ++part) sums.push_back(zeros_for(layer));
  const std::int64_t most = tiles_of_sums(layer.shape);
  const std::int64_t of_part = divided_up(layer.shape.tiles(), parts);
  at::parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
    const BlockRoom room(layer, most);
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t last = std::min((part + 1) * of_part, layer.shape.tiles());
      for (std::int64_t first = part * of_part; first < last; first += most) {
        const Block block = room.with(first, std::min(most, last - first));
        read(layer, images, block);
        for (std::int64_t position = 0; position < layer.method.positions; ++position) {
          passes_of(layer).add_products(block, position, {0, layer.shape.inputs},
                                        sums[part].matrices);
        }
      }
    }
  });
  for (std::int64_t part = 1; part < parts; ++part) sums[0].memory.add_(sums[part].memory);
  return std::move(sums[0]);
}

/// Does so for weights whose sums are too many to have them several times: the threads share a
/// block's tiles, and then its positions and inputs.
Room summed_together(const Layer& layer, const Images& images) {
  Room sums = zeros_for(layer);
  const std::int64_t most = tiles_of_sums(layer.shape);
  const BlockRoom room(layer, most);
  const std::int64_t panels = layer.shape.inputs / kPanelChannels;
  for (std::int64_t first = 0; first < layer.shape.tiles(); first += most) {
    const Block block = room.with(first, std::min(most, layer.shape.tiles() - first));
    at::parallel_for(0, block.count, kTileMultiple, [&](std::int64_t begin, std::int64_t end) {
      read(layer, images, block.part(begin, end));
    });
    const auto add_products = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t input = i % panels * kPanelChannels;
        passes_of(layer).add_products(block, i / panels, {input, input + kPanelChannels},
                                      sums.matrices);
      }
    };
    at::parallel_for(0, layer.method.positions * panels, 1, add_products);
  }
  return sums;
}

bool is_float_on_cpu(const at::Tensor& tensor) {
  return !takes_kernels(tensor) && tensor.scalar_type() == at::kFloat;
}

bool has_kernels_for(const Layer& layer, const at::Tensor& weight) {
  return weight.dim() == 4 && weight.size(layer.transposed ? 0 : 1) == layer.shape.inputs &&
         weight.size(2) == kKernelSize && weight.size(3) == kKernelSize;
}

bool are_panels(std::int64_t channels) { return channels > 0 && channels % kPanelChannels == 0; }

bool has_tiles(const Shape& of) { return of.images > 0 && of.tile_rows > 0 && of.tile_columns > 0; }

}  // namespace

bool can_convolve(const Layer& layer, const at::Tensor& x, const at::Tensor& weight) {
  const Shape& of = layer.shape;
  return is_float_on_cpu(x) && is_float_on_cpu(weight) && has_avx2() &&
         has_kernels_for(layer, weight) && are_panels(of.inputs) && are_panels(of.outputs) &&
         has_tiles(of);
}

bool is_fast(const Layer& layer) { return layer.y_height() * layer.y_width() >= kFewestPixels; }

at::Tensor convolve(const Layer& layer, const at::Tensor& x, const at::Tensor& weight) {
  RECORD_FUNCTION("ganscale::convolution2d", std::vector<c10::IValue>({x, weight}));
  const Shape& of = layer.shape;
  const Room weights = transformed(layer, weight);
  const at::Tensor zeros = at::zeros({of.inputs}, at::kFloat);
  at::Tensor y = at::empty({of.images, of.outputs, layer.y_height(), layer.y_width()},
                           x.options().memory_format(at::MemoryFormat::ChannelsLast));
  const std::int64_t most = tiles_of_block(of);
  const auto convolve_blocks = [&](std::int64_t begin, std::int64_t end) {
    const BlockRoom room(layer, most);
    for (std::int64_t i = begin; i < end; ++i) {
      const Block block = room.with(i * most, std::min(most, of.tiles() - i * most));
      passes_of(layer).read_patches(of, x.const_data_ptr<float>(), zeros.const_data_ptr<float>(),
                                    block);
      passes_of(layer).multiply(block, weights.matrices);
      passes_of(layer).write_tiles(of, block, y.mutable_data_ptr<float>());
    }
  };
  at::parallel_for(0, divided_up(of.tiles(), most), 1, convolve_blocks);
  return y;
}

at::Tensor weight_gradient(const Layer& layer, const at::Tensor& x, const at::Tensor& gradient,
                           const at::Tensor& weight) {
  RECORD_FUNCTION("ganscale::convolution2d_weight", std::vector<c10::IValue>({x, gradient}));
  const at::Tensor zeros = at::zeros({layer.shape.inputs}, at::kFloat);
  const Images images{x.const_data_ptr<float>(), zeros.const_data_ptr<float>(),
                      gradient.const_data_ptr<float>()};
  const std::int64_t parts = parts_of(layer);
  const Room sums =
      parts > 1 ? summed_in_parts(layer, images, parts) : summed_together(layer, images);
  at::Tensor result = at::empty(weight.sizes(), x.options());
  const Weights to = strides_of(result, layer.transposed);
  float* target = result.mutable_data_ptr<float>() + to.first;
  const auto write_weights = [&](std::int64_t begin, std::int64_t end) {
    passes_of(layer).write_weights(sums.matrices, {begin, end}, target, to.strides);
  };
  at::parallel_for(0, layer.shape.inputs, kInputsOfThread, write_weights);
  return result;
}

}  // namespace ganscale::kernels::tiles
