#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
// libjpeg's headers use size_t and FILE without including them.
#include <jpeglib.h>

#include "data/formats/file_bytes.h"
#include "data/image/decode.h"
#include "data/image/image.h"
#include "data/image/png_codec.h"
#include "data/image/source.h"
#include "support/temporary_folder.h"

/// Small images for tests.
namespace ganscale::data {

inline Image make_image(int channels, int height, int width, std::vector<std::uint8_t> hwc) {
  return {.channels = channels, .height = height, .width = width, .hwc = std::move(hwc)};
}

/// An image of one value.
inline Image flat_image(int channels, int side, std::uint8_t value) {
  return make_image(channels, side, side,
                    std::vector<std::uint8_t>(std::size_t(channels) * side * side, value));
}

/// How a JPEG stores its colors.
struct JpegKind {
  J_COLOR_SPACE stored = JCS_UNKNOWN;      ///< unknown: the usual one
  bool has_adobe_marker = true;            ///< in CMYK and YCCK
  std::vector<jpeg_scan_info> scans = {};  ///< of a progressive one; empty: not progressive
  bool is_arithmetic = false;              ///< instead of Huffman codes
};

/// Encodes an image of 1, 3 or (CMYK, inverted as Adobe's programs do) 4 channels at quality 95.
inline std::string jpeg_bytes(Image image, const JpegKind& kind = {}) {
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  jpeg_mem_dest(&jpeg, &bytes, &count);
  jpeg.image_width = static_cast<JDIMENSION>(image.width);
  jpeg.image_height = static_cast<JDIMENSION>(image.height);
  jpeg.input_components = image.channels;
  jpeg.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  if (image.channels == 4) jpeg.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&jpeg);  // writes Adobe's marker for CMYK
  if (kind.stored != JCS_UNKNOWN) jpeg_set_colorspace(&jpeg, kind.stored);
  if (!kind.has_adobe_marker) jpeg.write_Adobe_marker = FALSE;
  jpeg.arith_code = kind.is_arithmetic ? TRUE : FALSE;
  jpeg_set_quality(&jpeg, 95, TRUE);
  if (!kind.scans.empty()) {
    jpeg.scan_info = kind.scans.data();
    jpeg.num_scans = static_cast<int>(kind.scans.size());
  }
  jpeg_start_compress(&jpeg, TRUE);
  for (int y = 0; y < image.height; ++y) {
    JSAMPROW row = image.hwc.data() + std::size_t(y) * image.width * image.channels;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string text(reinterpret_cast<const char*>(bytes), count);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return text;
}

/// Returns the first byte of a decoded record.
inline std::uint8_t first_byte(const Source& source, std::int64_t index) {
  Record record;
  source.read(index, record);
  return decode(record).hwc[0];
}

inline Record make_record(Encoding encoding, const std::string& bytes) {
  Record record;
  record.buffer.assign(bytes.begin(), bytes.end());
  record.bytes = record.buffer;
  record.encoding = encoding;
  return record;
}

inline Record raw_record(Encoding encoding, int channels, int height, int width,
                         const std::vector<std::uint8_t>& bytes) {
  Record record = make_record(encoding, {bytes.begin(), bytes.end()});
  record.channels = channels;
  record.height = height;
  record.width = width;
  return record;
}

}  // namespace ganscale::data
