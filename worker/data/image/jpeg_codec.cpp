#include "data/image/jpeg_codec.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
// libjpeg's headers use size_t and FILE without including them.
#include <jpeglib.h>
// Has the codes of arithmetic coding only after jpeglib.h.
#include <jerror.h>

#include "base/error.h"
#include "base/non_copyable.h"

namespace ganscale::data {
namespace {

/// State of libjpeg's callbacks. libjpeg reports errors by longjmp, so functions that call setjmp
/// have no objects with destructors; they are small and use this.
struct JpegReading : NonCopyable {
  jpeg_error_mgr errors = {};  // must be first: callbacks cast libjpeg's pointer to it
  jpeg_progress_mgr progress = {};
  jpeg_decompress_struct jpeg = {};
  std::jmp_buf jump = {};
  char reason[JMSG_LENGTH_MAX] = "";

  JpegReading();
  ~JpegReading() { jpeg_destroy_decompress(&jpeg); }
};

[[noreturn]] void on_error(j_common_ptr jpeg) {
  auto* reading = reinterpret_cast<JpegReading*>(jpeg->err);
  jpeg->err->format_message(jpeg, reading->reason);
  std::longjmp(reading->jump, 1);
}

/// libjpeg only warns about truncated or damaged data and makes up the remaining pixels. Its other
/// warnings, such as for extra bytes between markers, do not affect the image.
void on_message(j_common_ptr jpeg, int level) {
  constexpr std::array kDamage{JWRN_JPEG_EOF,       JWRN_HIT_MARKER,  JWRN_HUFF_BAD_CODE,
                               JWRN_ARITH_BAD_CODE, JWRN_MUST_RESYNC, JWRN_BOGUS_PROGRESSION};
  if (level < 0 && std::ranges::find(kDamage, jpeg->err->msg_code) != kDamage.end()) on_error(jpeg);
}

/// Refuses a progressive JPEG of many more scans than the ten or so that encoders write: a few
/// hundred bytes are a scan of the whole image, which can take 50 ms.
void on_progress(j_common_ptr jpeg) {
  constexpr int kMostScans = 100;
  auto* reading = reinterpret_cast<JpegReading*>(jpeg->err);
  if (reading->jpeg.input_scan_number <= kMostScans) return;
  std::snprintf(reading->reason, sizeof(reading->reason), "more than %d scans", kMostScans);
  std::longjmp(reading->jump, 1);
}

JpegReading::JpegReading() {
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = on_error;
  errors.emit_message = on_message;
  progress.progress_monitor = on_progress;
}

/// libjpeg turns YCCK into CMYK, but neither into RGB.
J_COLOR_SPACE decoded_as(J_COLOR_SPACE stored) {
  if (stored == JCS_GRAYSCALE) return JCS_GRAYSCALE;
  return stored == JCS_CMYK || stored == JCS_YCCK ? JCS_CMYK : JCS_RGB;
}

bool read_jpeg_header(JpegReading& reading, std::span<const std::uint8_t> bytes) {
  if (setjmp(reading.jump)) return false;
  jpeg_create_decompress(&reading.jpeg);
  reading.jpeg.progress = &reading.progress;
  jpeg_mem_src(&reading.jpeg, bytes.data(), bytes.size());
  jpeg_read_header(&reading.jpeg, TRUE);
  reading.jpeg.out_color_space = decoded_as(reading.jpeg.jpeg_color_space);
  jpeg_calc_output_dimensions(&reading.jpeg);
  return true;
}

bool read_jpeg_pixels(JpegReading& reading, std::uint8_t* hwc) {
  if (setjmp(reading.jump)) return false;
  jpeg_start_decompress(&reading.jpeg);
  const std::size_t row_bytes =
      std::size_t{reading.jpeg.output_width} * reading.jpeg.output_components;
  while (reading.jpeg.output_scanline < reading.jpeg.output_height) {
    JSAMPROW row = hwc + reading.jpeg.output_scanline * row_bytes;
    jpeg_read_scanlines(&reading.jpeg, &row, 1);
  }
  jpeg_finish_decompress(&reading.jpeg);
  return true;
}

/// Throws if the file has less than a bit for each block of pixels, the least that a Huffman code
/// takes: memory is taken for the blocks before they are read.
void require_enough_bytes(const jpeg_decompress_struct& jpeg, std::size_t size_bytes) {
  if (jpeg.arith_code) return;  // an arithmetic code can take less
  std::size_t blocks = 0;
  for (const auto& component : std::span(jpeg.comp_info, jpeg.num_components))
    blocks += std::size_t{component.width_in_blocks} * component.height_in_blocks;
  if (blocks / 8 > size_bytes)
    throw DataError("JPEG is damaged: it has too few bytes for its size");
}

Image start_jpeg(JpegReading& reading, std::span<const std::uint8_t> bytes) {
  if (!read_jpeg_header(reading, bytes))
    throw DataError(std::string("JPEG is damaged: ") + reading.reason);
  const auto& jpeg = reading.jpeg;
  require_sides("JPEG", jpeg.output_height, jpeg.output_width);
  require_enough_bytes(jpeg, bytes.size());
  return {.channels = jpeg.out_color_space == JCS_GRAYSCALE ? 1 : 3,
          .height = static_cast<int>(jpeg.output_height),
          .width = static_cast<int>(jpeg.output_width)};
}

/// Returns the RGB of pixels of CMYK, as PIL converts them: without a color profile.
///
/// is_inverted: 255 means no ink, as Adobe's programs store it.
std::vector<std::uint8_t> rgb_of(const std::vector<std::uint8_t>& cmyk, bool is_inverted) {
  const auto light = [&](std::uint8_t level) { return is_inverted ? level : 255 - level; };
  std::vector<std::uint8_t> rgb;
  rgb.reserve(cmyk.size() / 4 * 3);
  for (std::size_t pixel = 0; pixel < cmyk.size(); pixel += 4) {
    const int black = light(cmyk[pixel + 3]);
    for (std::size_t ink = 0; ink < 3; ++ink) {
      rgb.push_back(static_cast<std::uint8_t>((light(cmyk[pixel + ink]) * black + 127) / 255));
    }
  }
  return rgb;
}

}  // namespace

Image decode_jpeg(std::span<const std::uint8_t> bytes) {
  JpegReading reading;
  Image image = start_jpeg(reading, bytes);
  const bool is_cmyk = reading.jpeg.out_color_space == JCS_CMYK;
  const int stored_channels = is_cmyk ? 4 : image.channels;
  image.hwc.resize(static_cast<std::size_t>(image.height) * image.width * stored_channels);
  if (!read_jpeg_pixels(reading, image.hwc.data())) {
    throw DataError(std::string("JPEG is damaged: ") + reading.reason);
  }
  if (is_cmyk) image.hwc = rgb_of(image.hwc, reading.jpeg.saw_Adobe_marker != 0);
  return image;
}

Image jpeg_shape(std::span<const std::uint8_t> bytes) {
  JpegReading reading;
  return start_jpeg(reading, bytes);
}

}  // namespace ganscale::data
