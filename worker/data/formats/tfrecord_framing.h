#pragma once

#include <array>
#include <cstdint>
#include <span>

/// The frames of a TFRecord file, which TensorBoard's event files share: length (64 bit, little
/// endian), masked CRC32C of the length, data, masked CRC32C of the data.
///
/// Format: TensorFlow, core/lib/io/record_writer.h. DataErrors here are only the reason.
namespace ganscale::data {

inline constexpr std::int64_t kFrameHeaderBytes = 12;
inline constexpr std::int64_t kFrameFooterBytes = 4;
/// A longer record is treated as damaged.
inline constexpr std::int64_t kLongestFrameData = std::int64_t{1} << 30;

/// Returns the CRC32C (Castagnoli), rotated and shifted as TFRecord stores it.
std::uint32_t masked_crc32c(std::span<const std::uint8_t> bytes);

/// Returns the header of a frame with this length of data.
std::array<std::uint8_t, kFrameHeaderBytes> frame_header(std::uint64_t data_bytes);
/// Returns the footer of a frame.
std::array<std::uint8_t, kFrameFooterBytes> frame_footer(std::span<const std::uint8_t> data);

/// Returns the length of the data after this header (the first kFrameHeaderBytes of a frame).
/// Throws DataError if its checksum is wrong.
std::int64_t read_frame_header(std::span<const std::uint8_t> header);

/// Returns the data of a whole frame. Throws DataError if a length or a checksum is wrong.
std::span<const std::uint8_t> read_frame(std::span<const std::uint8_t> frame);

}  // namespace ganscale::data
