#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ganscale::data {

/// The features `shape` (three integers: channels, height, width) and `data` (the pixels, uint8) of
/// a tf.train.Example, as StyleGAN's dataset tool writes them.
///
/// Read and written by hand: it is only two features of one Protocol Buffers message, and Debian's
/// protobuf library must not be linked with LibTorch's.
struct ImageExample {
  std::array<std::int64_t, 3> shape = {};
  std::span<const std::uint8_t> data;  ///< points into the parsed message
};

/// Finds the two features in a serialized tf.train.Example and ignores all others. Throws DataError
/// with the reason only if the message is damaged or lacks one.
ImageExample parse_image_example(std::span<const std::uint8_t> message);

/// Serializes an example into `message`.
void write_image_example(const ImageExample& example, std::vector<std::uint8_t>& message);

}  // namespace ganscale::data
