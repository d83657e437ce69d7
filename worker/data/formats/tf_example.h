#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ganscale::data {

/// The features `shape` (three integers: channels, height, width) and `data` (the pixels, uint8) of
/// a tf.train.Example, as StyleGAN's dataset tool writes them.
///
/// Read and written by hand: it is two features of one message of Protocol Buffers, and Debian's
/// protobuf library must not be linked beside LibTorch's.
struct ImageExample {
  std::array<std::int64_t, 3> shape = {};
  std::span<const std::uint8_t> data;  ///< in the message that was parsed
};

/// Finds the two features in a serialized tf.train.Example; ignores all others. Throws DataError
/// with only the reason when the message is damaged or lacks one.
ImageExample parse_image_example(std::span<const std::uint8_t> message);

/// Serializes an example over what `message` held.
void write_image_example(const ImageExample& example, std::vector<std::uint8_t>& message);

}  // namespace ganscale::data
