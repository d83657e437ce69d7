#include "report/media/webp_file.h"

#include <webp/encode.h>
#include <webp/mux.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/non_copyable.h"
#include "files/atomic_file.h"

namespace ganscale::report {
namespace {

constexpr float kQuality = 85;  // of 100

struct EncoderDeleter {
  void operator()(WebPAnimEncoder* encoder) const { WebPAnimEncoderDelete(encoder); }
};

/// A frame as libwebp expects it.
class Picture : NonCopyable {
 public:
  explicit Picture(const at::Tensor& pixels) {
    const auto rgb = pixels.expand({-1, -1, 3}).contiguous();
    check(WebPPictureInit(&picture_) != 0, "libwebp has another version than its headers");
    picture_.use_argb = 1;
    picture_.height = static_cast<int>(rgb.size(0));
    picture_.width = static_cast<int>(rgb.size(1));
    if (WebPPictureImportRGB(&picture_, rgb.const_data_ptr<std::uint8_t>(), 3 * picture_.width) ==
        0) {
      throw std::bad_alloc();
    }
  }
  ~Picture() { WebPPictureFree(&picture_); }

  WebPPicture* get() { return &picture_; }

 private:
  WebPPicture picture_;
};

class WebpFile : public VideoFile {
 public:
  WebpFile(std::filesystem::path path, int frames_per_second)
      : path_(std::move(path)), frames_per_second_(frames_per_second) {
    check(WebPConfigInit(&config_) != 0, "libwebp has another version than its headers");
    config_.quality = kQuality;
  }

  void finish() override {
    check(encoder_ != nullptr, "a video has a frame");
    WebPData data;
    WebPDataInit(&data);
    require(WebPAnimEncoderAdd(encoder_.get(), nullptr, end_ms_, nullptr) != 0 &&
            WebPAnimEncoderAssemble(encoder_.get(), &data) != 0);
    const std::string bytes(reinterpret_cast<const char*>(data.bytes), data.size);
    WebPDataClear(&data);
    files::write_file_atomically(path_, bytes);
  }

 private:
  void write(const at::Tensor& pixels) override {
    if (encoder_ == nullptr)
      open(static_cast<int>(pixels.size(1)), static_cast<int>(pixels.size(0)));
    const int end_ms = webp_milliseconds(frames_ + 1, frames_per_second_);
    Picture picture(pixels);
    require(WebPAnimEncoderAdd(encoder_.get(), picture.get(), end_ms_, &config_) != 0);
    end_ms_ = end_ms;
    ++frames_;
  }

  void open(int width, int height) {
    if (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION) {
      throw UsageError("a WebP has at most " + std::to_string(WEBP_MAX_DIMENSION) +
                       " pixels a side: " + std::to_string(width) + " x " + std::to_string(height));
    }
    WebPAnimEncoderOptions options;
    check(WebPAnimEncoderOptionsInit(&options) != 0,
          "libwebp has another version than its headers");
    options.anim_params.loop_count = 0;  // forever
    encoder_.reset(WebPAnimEncoderNew(width, height, &options));
    if (encoder_ == nullptr) throw std::bad_alloc();
  }

  void require(bool done) const {
    if (!done) {
      throw files::OutputError("can't encode " + path_.string() + ": " +
                               WebPAnimEncoderGetError(encoder_.get()));
    }
  }

  std::filesystem::path path_;
  int frames_per_second_;
  std::int64_t frames_ = 0;
  int end_ms_ = 0;  ///< of the last frame
  WebPConfig config_;
  std::unique_ptr<WebPAnimEncoder, EncoderDeleter> encoder_;
};

}  // namespace

std::unique_ptr<VideoFile> open_webp(const std::filesystem::path& path, int frames_per_second) {
  return std::make_unique<WebpFile>(path, frames_per_second);
}

int webp_milliseconds(std::int64_t frames, int frames_per_second) {
  const std::int64_t milliseconds = frames * 1000 / frames_per_second;
  if (milliseconds > std::numeric_limits<int>::max()) {
    throw UsageError("a WebP lasts at most 24 days; write fewer frames, or an .mp4 file: " +
                     std::to_string(frames) + " frames, " + std::to_string(frames_per_second) +
                     " a second");
  }
  return static_cast<int>(milliseconds);
}

}  // namespace ganscale::report
