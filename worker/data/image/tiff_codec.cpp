#include "data/image/tiff_codec.h"

#include <tiffio.h>

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/non_copyable.h"
#include "files/handle.h"

namespace ganscale::data {
namespace {

using Tiff = PointerHandle<TIFF, TIFFClose>;
using TiffOptions = PointerHandle<TIFFOpenOptions, TIFFOpenOptionsFree>;

/// What libtiff's callbacks work on.
struct TiffStream {
  std::span<const std::uint8_t> bytes;
  std::uint64_t position = 0;
  char reason[256] = "";  ///< of the first error
};

tmsize_t read_tiff_bytes(thandle_t handle, void* into, tmsize_t count) {
  auto& stream = *static_cast<TiffStream*>(handle);
  if (count < 0 || stream.position >= stream.bytes.size()) return 0;
  const auto left = stream.bytes.subspan(stream.position);
  const std::size_t here = std::min(static_cast<std::size_t>(count), left.size());
  std::memcpy(into, left.data(), here);
  stream.position += here;
  return static_cast<tmsize_t>(here);
}

tmsize_t write_no_tiff_bytes(thandle_t, void*, tmsize_t) { return 0; }

toff_t seek_tiff(thandle_t handle, toff_t offset, int whence) {
  auto& stream = *static_cast<TiffStream*>(handle);
  if (whence == SEEK_SET) stream.position = 0;
  if (whence == SEEK_END) stream.position = stream.bytes.size();
  stream.position += offset;
  return stream.position;
}

int close_no_tiff(thandle_t) { return 0; }

toff_t tiff_size(thandle_t handle) { return static_cast<TiffStream*>(handle)->bytes.size(); }

int keep_tiff_error(TIFF*, void* handle, const char*, const char* format, std::va_list values) {
  auto& stream = *static_cast<TiffStream*>(handle);
  if (stream.reason[0] == '\0') {
    std::vsnprintf(stream.reason, sizeof(stream.reason), format, values);
  }
  return 1;  // libtiff prints nothing
}

int drop_tiff_warning(TIFF*, void*, const char*, const char*, std::va_list) { return 1; }

/// libtiff's conversion of a page to RGBA.
class TiffConversion : NonCopyable {
 public:
  explicit TiffConversion(TIFF* tiff) {
    constexpr int kStopOnError = 1;
    char reason[1024] = "";
    if (TIFFRGBAImageBegin(&conversion_, tiff, kStopOnError, reason) == 0) {
      throw DataError(std::string("TIFF is not supported: ") + reason);
    }
    conversion_.orientation = ORIENTATION_TOPLEFT;
    conversion_.req_orientation = ORIENTATION_TOPLEFT;
  }
  ~TiffConversion() { TIFFRGBAImageEnd(&conversion_); }

  TIFFRGBAImage* get() { return &conversion_; }
  bool is_gray() const {
    return conversion_.photometric == PHOTOMETRIC_MINISBLACK ||
           conversion_.photometric == PHOTOMETRIC_MINISWHITE;
  }
  /// Whether the conversion keeps the alpha of such pixels.
  bool takes_alpha() const {
    if (is_gray()) return conversion_.bitspersample == 8 && conversion_.samplesperpixel == 2;
    return conversion_.photometric == PHOTOMETRIC_RGB;
  }

 private:
  TIFFRGBAImage conversion_ = {};
};

/// A TIFF file, opened at its first page.
class TiffReading : NonCopyable {
 public:
  explicit TiffReading(std::span<const std::uint8_t> bytes) : stream_{.bytes = bytes} {
    open();
    std::uint32_t height = 0;
    std::uint32_t width = 0;
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGELENGTH, &height);
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGEWIDTH, &width);
    require_sides("TIFF", height, width);
    std::uint16_t format = SAMPLEFORMAT_UINT;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLEFORMAT, &format);
    if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) {
      throw DataError("TIFF is not supported: its samples are not unsigned integers");
    }
    conversion_.emplace(tiff_.get());
    const bool has_alpha = extra_sample() != EXTRASAMPLE_UNSPECIFIED;
    if (has_alpha && !conversion_->takes_alpha()) {
      throw DataError(
          "TIFF is not supported: transparency of pixels other than RGB and 8-bit gray");
    }
    shape_ = {.channels = (conversion_->is_gray() ? 1 : 3) + (has_alpha ? 1 : 0),
              .height = static_cast<int>(height),
              .width = static_cast<int>(width),
              .has_more_frames = TIFFLastDirectory(tiff_.get()) == 0};
  }

  const Image& shape() const { return shape_; }

  /// Returns R, G, B and A of all pixels.
  std::vector<std::uint8_t> rgba() {
    static_assert(std::endian::native == std::endian::little);  // of libtiff's packed pixels
    std::vector<std::uint8_t> rgba(std::size_t{4} * shape_.height * shape_.width);
    const int ok = TIFFRGBAImageGet(
        conversion_->get(), reinterpret_cast<std::uint32_t*>(rgba.data()),
        static_cast<std::uint32_t>(shape_.width), static_cast<std::uint32_t>(shape_.height));
    if (ok == 0) refuse();
    return rgba;
  }

  /// Whether colors come multiplied by alpha: libtiff does that to RGB, but not to gray.
  bool is_multiplied() const {
    return !conversion_->is_gray() || extra_sample() == EXTRASAMPLE_ASSOCALPHA;
  }

 private:
  void open() {
    constexpr tmsize_t kMostBytesAtOnce = tmsize_t{1} << 30;
    const TiffOptions options(TIFFOpenOptionsAlloc());
    if (options.get() == nullptr) throw std::bad_alloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMostBytesAtOnce);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_tiff_error, &stream_);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), drop_tiff_warning, nullptr);
    tiff_ = Tiff(TIFFClientOpenExt("image", "rm", &stream_, read_tiff_bytes, write_no_tiff_bytes,
                                   seek_tiff, close_no_tiff, tiff_size, nullptr, nullptr,
                                   options.get()));
    if (tiff_.get() == nullptr) refuse();
  }

  [[noreturn]] void refuse() const {
    throw DataError(std::string("TIFF is damaged: ") + stream_.reason);
  }

  /// Returns what the first sample after the colors is.
  std::uint16_t extra_sample() const {
    std::uint16_t count = 0;
    std::uint16_t* kinds = nullptr;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds);
    return count > 0 ? kinds[0] : std::uint16_t{EXTRASAMPLE_UNSPECIFIED};
  }

  TiffStream stream_;
  Tiff tiff_;
  std::optional<TiffConversion> conversion_;
  Image shape_;
};

/// Returns a color before its multiplication by alpha.
std::uint8_t divided_by_alpha(int color, int alpha) {
  if (alpha == 0) return 0;
  return static_cast<std::uint8_t>(std::min(255, (color * 255 + alpha / 2) / alpha));
}

}  // namespace

Image decode_tiff(std::span<const std::uint8_t> bytes) {
  TiffReading reading(bytes);
  Image image = reading.shape();
  image.hwc = reading.rgba();
  const bool has_alpha = image.channels % 2 == 0;
  const bool is_multiplied = has_alpha && reading.is_multiplied();
  const int colors = image.channels - (has_alpha ? 1 : 0);
  const std::size_t pixels = static_cast<std::size_t>(image.height) * image.width;
  std::uint8_t* to = image.hwc.data();  // never ahead of `from`
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* from = image.hwc.data() + 4 * i;
    const std::uint8_t alpha = from[3];
    for (int c = 0; c < colors; ++c) {
      *to++ = is_multiplied ? divided_by_alpha(from[c], alpha) : from[c];
    }
    if (has_alpha) *to++ = alpha;
  }
  image.hwc.resize(pixels * image.channels);
  return image;
}

Image tiff_shape(std::span<const std::uint8_t> bytes) { return TiffReading(bytes).shape(); }

}  // namespace ganscale::data
