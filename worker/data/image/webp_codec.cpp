#include "data/image/webp_codec.h"

#include <webp/decode.h>
#include <webp/demux.h>

#include <new>
#include <string>

#include "base/error.h"
#include "base/non_copyable.h"
#include "files/handle.h"

namespace ganscale::data {
namespace {

using WebpDemuxer = PointerHandle<WebPDemuxer, WebPDemuxDelete>;

/// The parts of a WebP file.
class WebpReading : NonCopyable {
 public:
  explicit WebpReading(std::span<const std::uint8_t> bytes) {
    const WebPData data{.bytes = bytes.data(), .size = bytes.size()};
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
    demuxer_ = WebpDemuxer(WebPDemuxPartial(&data, &state));
    if (state == WEBP_DEMUX_PARSE_ERROR) throw DataError("WebP is damaged: its parts do not match");
    if (state != WEBP_DEMUX_DONE) throw DataError("WebP is damaged: ends too early");
    if (WebPDemuxGetFrame(demuxer_.get(), 1, &frame_) == 0) {
      throw DataError("WebP is damaged: has no frame");
    }
    require_sides("WebP", height(), width());
  }
  ~WebpReading() { WebPDemuxReleaseIterator(&frame_); }

  const WebPIterator& frame() const { return frame_; }
  Image shape() const {
    const bool is_covered = frame_.width == width() && frame_.height == height();
    return {.channels = is_covered && frame_.has_alpha == 0 ? 3 : 4,
            .height = height(),
            .width = width(),
            .has_more_frames = frame_.num_frames > 1};
  }

 private:
  int height() const { return feature(WEBP_FF_CANVAS_HEIGHT); }
  int width() const { return feature(WEBP_FF_CANVAS_WIDTH); }
  int feature(WebPFormatFeature which) const {
    return static_cast<int>(WebPDemuxGetI(demuxer_.get(), which));
  }

  WebpDemuxer demuxer_;
  WebPIterator frame_ = {};
};

void require_decoded(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OK: return;
    case VP8_STATUS_OUT_OF_MEMORY: throw std::bad_alloc();
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED: throw DataError("WebP is damaged: its pixels end too early");
    default: throw DataError("WebP is damaged: its pixels cannot be decoded");
  }
}

}  // namespace

Image decode_webp(std::span<const std::uint8_t> bytes) {
  const WebpReading reading(bytes);
  const WebPIterator& frame = reading.frame();
  Image image = reading.shape();
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * image.channels;
  image.hwc.resize(row_bytes * image.height);
  const std::size_t start =
      frame.y_offset * row_bytes + static_cast<std::size_t>(frame.x_offset) * image.channels;
  WebPDecoderConfig config;
  check(WebPInitDecoderConfig(&config) != 0, "libwebp has another version than its headers");
  config.output.colorspace = image.channels == 3 ? MODE_RGB : MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {.rgba = image.hwc.data() + start,
                          .stride = static_cast<int>(row_bytes),
                          .size = image.hwc.size() - start};
  require_decoded(WebPDecode(frame.fragment.bytes, frame.fragment.size, &config));
  return image;
}

Image webp_shape(std::span<const std::uint8_t> bytes) { return WebpReading(bytes).shape(); }

}  // namespace ganscale::data
