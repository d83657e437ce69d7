#pragma once

#include <gif_lib.h>
#include <gtest/gtest.h>
#include <tiffio.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/formats/file_bytes.h"
#include "support/temporary_folder.h"
#include "unit/data/images.h"

/// Writers of image files for tests.
namespace ganscale::data {

/// Encodes an image of 3 or 4 channels, lossless unless there is a quality.
inline std::string webp_bytes(const Image& image, std::optional<float> quality = {}) {
  const int row_bytes = image.width * image.channels;
  const auto pixels = image.hwc.data();
  std::uint8_t* out = nullptr;
  std::size_t count = 0;
  if (quality) {
    count = WebPEncodeRGB(pixels, image.width, image.height, row_bytes, *quality, &out);
  } else {
    const auto encode = image.channels == 3 ? WebPEncodeLosslessRGB : WebPEncodeLosslessRGBA;
    count = encode(pixels, image.width, image.height, row_bytes, &out);
  }
  std::string bytes(reinterpret_cast<const char*>(out), count);
  WebPFree(out);
  return bytes;
}

/// Frames of an animation, each at (2, 0) of the canvas.
inline std::string animated_webp_bytes(const std::vector<Image>& frames, int width, int height) {
  WebPMux* mux = WebPMuxNew();
  for (const Image& frame : frames) {
    const std::string bytes = webp_bytes(frame);
    WebPMuxFrameInfo info = {};
    info.bitstream = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
    info.x_offset = 2;
    info.duration = 100;
    info.id = WEBP_CHUNK_ANMF;
    EXPECT_EQ(WebPMuxPushFrame(mux, &info, 1), WEBP_MUX_OK);
  }
  const WebPMuxAnimParams animation = {};
  EXPECT_EQ(WebPMuxSetAnimationParams(mux, &animation), WEBP_MUX_OK);
  EXPECT_EQ(WebPMuxSetCanvasSize(mux, width, height), WEBP_MUX_OK);
  WebPData data = {};
  EXPECT_EQ(WebPMuxAssemble(mux, &data), WEBP_MUX_OK);
  std::string bytes(reinterpret_cast<const char*>(data.bytes), data.size);
  WebPDataClear(&data);
  WebPMuxDelete(mux);
  return bytes;
}

/// A frame of a GIF: indices of the colors red, green, blue and white.
struct GifFrame {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  std::vector<GifPixelType> indices;
  bool is_interlaced = false;
  int transparent = NO_TRANSPARENT_COLOR;
};

inline void append_gif_frame(GifFileType* gif, GifFrame frame) {
  const GraphicsControlBlock control = {DISPOSAL_UNSPECIFIED, false, 10, frame.transparent};
  GifByteType extension[4];
  EGifGCBToExtension(&control, extension);
  EXPECT_EQ(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, 4, extension), GIF_OK);
  EXPECT_EQ(EGifPutImageDesc(gif, frame.left, frame.top, frame.width, frame.height,
                             frame.is_interlaced, nullptr),
            GIF_OK);
  const std::vector<std::pair<int, int>> passes =
      frame.is_interlaced ? std::vector<std::pair<int, int>>{{0, 8}, {4, 8}, {2, 4}, {1, 2}}
                          : std::vector<std::pair<int, int>>{{0, 1}};
  for (const auto& [first, step] : passes) {
    for (int y = first; y < frame.height; y += step) {
      EXPECT_EQ(EGifPutLine(gif, frame.indices.data() + y * frame.width, frame.width), GIF_OK);
    }
  }
}

inline std::string gif_bytes(int width, int height, const std::vector<GifFrame>& frames) {
  std::string bytes;
  const auto append = [](GifFileType* gif, const GifByteType* from, int count) {
    static_cast<std::string*>(gif->UserData)
        ->append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(count));
    return count;
  };
  GifFileType* gif = EGifOpen(&bytes, append, nullptr);
  EGifSetGifVersion(gif, true);
  const GifColorType colors[] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}};
  ColorMapObject* table = GifMakeMapObject(4, colors);
  EXPECT_EQ(EGifPutScreenDesc(gif, width, height, 2, 0, table), GIF_OK);
  GifFreeMapObject(table);
  for (const GifFrame& frame : frames) append_gif_frame(gif, frame);
  EXPECT_EQ(EGifCloseFile(gif, nullptr), GIF_OK);
  return bytes;
}

inline void append_little_endian(std::string& bytes, std::uint32_t number, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

/// The parts of a BMP with a BITMAPINFOHEADER or one of its successors.
struct BmpFile {
  int width = 0;
  int height = 0;  ///< negative: the first row is the top one
  int bits = 24;
  std::uint32_t compression = 0;
  std::uint32_t header_bytes = 40;
  std::uint32_t colors_used = 0;
  std::string after_sizes = {};  ///< masks, palette
  std::string pixels = {};

  std::string encoded() const {
    const std::size_t extra = std::max<std::size_t>(header_bytes - 40, after_sizes.size());
    std::string bytes = "BM";
    append_little_endian(bytes, 0, 8);
    append_little_endian(bytes, static_cast<std::uint32_t>(54 + extra), 4);
    append_little_endian(bytes, header_bytes, 4);
    append_little_endian(bytes, static_cast<std::uint32_t>(width), 4);
    append_little_endian(bytes, static_cast<std::uint32_t>(height), 4);
    append_little_endian(bytes, 1, 2);
    append_little_endian(bytes, static_cast<std::uint32_t>(bits), 2);
    append_little_endian(bytes, compression, 4);
    append_little_endian(bytes, 0, 12);
    append_little_endian(bytes, colors_used, 4);
    append_little_endian(bytes, 0, 4);
    bytes += after_sizes;
    bytes.resize(54 + extra);
    return bytes + pixels;
  }
};

/// The rows of pages of a TIFF, and the tags that say what they hold.
struct TiffFile {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint16_t samples = 3;
  std::uint16_t bits = 8;
  std::uint16_t photometric = PHOTOMETRIC_RGB;
  std::uint16_t compression = COMPRESSION_NONE;
  std::uint16_t format = SAMPLEFORMAT_UINT;
  std::uint16_t orientation = ORIENTATION_TOPLEFT;
  std::optional<std::uint16_t> extra_sample = {};
  std::vector<std::uint8_t> rows = {};
  int pages = 1;

  void write_page(TIFF* tiff) const {
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, orientation);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    if (extra_sample) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &*extra_sample);
    std::vector<std::uint8_t> row(rows.size() / height);
    for (std::uint32_t y = 0; y < height; ++y) {
      std::copy_n(rows.begin() + y * static_cast<long>(row.size()), row.size(), row.begin());
      EXPECT_EQ(TIFFWriteScanline(tiff, row.data(), y), 1);
    }
    EXPECT_EQ(TIFFWriteDirectory(tiff), 1);
  }

  std::string encoded() const {
    const TemporaryFolder folder;
    const std::string file = folder / "a.tif";
    TIFF* tiff = TIFFOpen(file.c_str(), "wl");
    for (int page = 0; page < pages; ++page) write_page(tiff);
    TIFFClose(tiff);
    const auto bytes = read_file(file);
    return {bytes.begin(), bytes.end()};
  }
};

/// A file of each format that is read.
struct FileOfAKind {
  std::string format;
  std::string extension;
  std::string bytes;
};

/// Returns the same image in each format, of 4x4 pixels, all of which are red.
inline std::vector<FileOfAKind> files_of_all_kinds() {
  Image red = make_image(3, 4, 4, {});
  std::string bgr;
  for (int i = 0; i < 16; ++i) {
    red.hwc.insert(red.hwc.end(), {255, 0, 0});
    bgr += std::string("\0\0\xff", 3);
  }
  const GifFrame frame = {
      .width = 4, .height = 4, .indices = std::vector<GifPixelType>(16, GifPixelType{0})};
  return {{"PNG", ".png", encode_png(red)},
          {"JPEG", ".jpg", jpeg_bytes(red)},
          {"WebP", ".webp", webp_bytes(red)},
          {"GIF", ".gif", gif_bytes(4, 4, {frame})},
          {"BMP", ".bmp", BmpFile{.width = 4, .height = 4, .pixels = bgr}.encoded()},
          {"TIFF", ".tif", TiffFile{.width = 4, .height = 4, .rows = red.hwc}.encoded()}};
}

}  // namespace ganscale::data
