#include "data/image/png_codec.h"

#include <png.h>

#include <csetjmp>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/non_copyable.h"
#include "data/image/png_plain.h"

namespace ganscale::data {
namespace {

/// State of libpng's callbacks. libpng reports errors by longjmp, so functions that call setjmp
/// have no objects with destructors; they are small and use this.
struct PngReading : NonCopyable {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const std::uint8_t* next = nullptr;
  std::size_t left_bytes = 0;
  char reason[96] = "";
  int passes = 1;

  PngReading() = default;
  ~PngReading() { png_destroy_read_struct(&png, &info, nullptr); }
};

void keep_reason(char (&reason)[96], const char* text) {
  std::strncpy(reason, text, sizeof(reason) - 1);
}

[[noreturn]] void on_read_error(png_structp png, png_const_charp text) {
  keep_reason(static_cast<PngReading*>(png_get_error_ptr(png))->reason, text);
  png_longjmp(png, 1);
}

/// libpng only warns about damaged transparency, and reads the image as opaque. Its other warnings
/// are about chunks that do not affect the image, or that other programs ignore as well.
void on_warning(png_structp png, png_const_charp text) {
  if (text == std::string_view("tRNS: CRC error")) png_error(png, text);
}

void read_bytes(png_structp png, png_bytep into, png_size_t count) {
  auto& reading = *static_cast<PngReading*>(png_get_io_ptr(png));
  if (count > reading.left_bytes) png_error(png, "ends too early");
  std::memcpy(into, reading.next, count);
  reading.next += count;
  reading.left_bytes -= count;
}

/// Reads up to the pixels. Keeps the chunk that makes an animation.
bool read_png_header(PngReading& reading) {
  static constexpr png_byte kAnimation[] = "acTL";
  if (setjmp(png_jmpbuf(reading.png))) return false;
  png_set_read_fn(reading.png, &reading, read_bytes);
  png_set_keep_unknown_chunks(reading.png, PNG_HANDLE_CHUNK_ALWAYS, kAnimation, 1);
  png_set_user_limits(reading.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // see require_sides()
  png_read_info(reading.png, reading.info);
  return true;
}

/// Requests 8 bits per channel without a palette.
bool request_png_bytes(PngReading& reading) {
  if (setjmp(png_jmpbuf(reading.png))) return false;
  png_set_expand(reading.png);
  png_set_scale_16(reading.png);
  reading.passes = png_set_interlace_handling(reading.png);
  png_read_update_info(reading.png, reading.info);
  return true;
}

bool read_png_pixels(PngReading& reading, std::uint8_t* hwc) {
  if (setjmp(png_jmpbuf(reading.png))) return false;
  const png_uint_32 height = png_get_image_height(reading.png, reading.info);
  const std::size_t row_bytes = png_get_rowbytes(reading.png, reading.info);
  for (int pass = 0; pass < reading.passes; ++pass) {
    for (png_uint_32 y = 0; y < height; ++y) {
      png_read_row(reading.png, hwc + y * row_bytes, nullptr);
    }
  }
  png_read_end(reading.png, nullptr);
  return true;
}

Image start_png(PngReading& reading, std::span<const std::uint8_t> bytes) {
  reading.next = bytes.data();
  reading.left_bytes = bytes.size();
  reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, on_read_error, on_warning);
  if (reading.png != nullptr) reading.info = png_create_info_struct(reading.png);
  if (reading.info == nullptr) throw std::bad_alloc();
  if (!read_png_header(reading)) throw DataError(std::string("PNG is damaged: ") + reading.reason);
  require_sides("PNG", png_get_image_height(reading.png, reading.info),
                png_get_image_width(reading.png, reading.info));
  if (!request_png_bytes(reading)) {
    throw DataError(std::string("PNG is damaged: ") + reading.reason);
  }
  png_unknown_chunkp unknown = nullptr;
  return {.channels = png_get_channels(reading.png, reading.info),
          .height = static_cast<int>(png_get_image_height(reading.png, reading.info)),
          .width = static_cast<int>(png_get_image_width(reading.png, reading.info)),
          .has_more_frames = png_get_unknown_chunks(reading.png, reading.info, &unknown) > 0};
}

}  // namespace

Image decode_png(std::span<const std::uint8_t> bytes) {
  if (auto plain = decode_plain_png(bytes)) return std::move(*plain);
  PngReading reading;
  Image image = start_png(reading, bytes);
  image.hwc.resize(static_cast<std::size_t>(image.height) *
                   png_get_rowbytes(reading.png, reading.info));
  if (!read_png_pixels(reading, image.hwc.data())) {
    throw DataError(std::string("PNG is damaged: ") + reading.reason);
  }
  return image;
}

Image png_shape(std::span<const std::uint8_t> bytes) {
  PngReading reading;
  return start_png(reading, bytes);
}

std::string encode_png(const Image& image) {
  static constexpr png_uint_32 kFormats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                             PNG_FORMAT_RGBA};
  check(image.channels >= 1 && image.channels <= 4, "a PNG holds 1 to 4 channels");
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.height = static_cast<png_uint_32>(image.height);
  png.width = static_cast<png_uint_32>(image.width);
  png.format = kFormats[image.channels - 1];
  const void* hwc = image.hwc.data();
  png_alloc_size_t size_bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(size_bytes, '\0');
  const bool ok =
      png_image_write_to_memory(&png, bytes.data(), &size_bytes, 0, hwc, 0, nullptr) != 0;
  check(ok, std::string("libpng: ") + png.message);
  bytes.resize(size_bytes);
  return bytes;
}

}  // namespace ganscale::data
