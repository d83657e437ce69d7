#include "data/image/gif_codec.h"

#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/non_copyable.h"
#include "files/handle.h"

// The format: CompuServe, "Graphics Interchange Format, Version 89a".
namespace ganscale::data {
namespace {

using GifFile = PointerHandle<GifFileType, [](GifFileType* gif) { DGifCloseFile(gif, nullptr); }>;

[[noreturn]] void refuse_gif(int error) {
  const char* reason = GifErrorString(error);
  throw DataError(std::string("GIF is damaged: ") + (reason != nullptr ? reason : "unknown error"));
}

/// giflib's callback. Returns how many bytes there were.
int read_gif_bytes(GifFileType* gif, GifByteType* into, int count) {
  auto& left = *static_cast<std::span<const std::uint8_t>*>(gif->UserData);
  const std::size_t here = std::min(static_cast<std::size_t>(count), left.size());
  if (here > 0) std::memcpy(into, left.data(), here);
  left = left.subspan(here);
  return static_cast<int>(here);
}

/// A GIF file, read up to the pixels of its first frame.
class GifReading : NonCopyable {
 public:
  explicit GifReading(std::span<const std::uint8_t> bytes) : left_(bytes) {
    int error = D_GIF_SUCCEEDED;
    gif_ = GifFile(DGifOpen(&left_, read_gif_bytes, &error));
    if (gif_.get() == nullptr) refuse_gif(error);
    require_sides("GIF", file().SHeight, file().SWidth);
    if (!next_frame()) throw DataError("GIF is damaged: has no frame");
    transparent_ = control_.TransparentColor;
    require(DGifGetImageDesc(gif_.get()));
    require_frame();
  }

  Image shape() const {
    const bool is_covered = frame().Width == file().SWidth && frame().Height == file().SHeight;
    return {.channels = is_covered && transparent_ == NO_TRANSPARENT_COLOR ? 3 : 4,
            .height = file().SHeight,
            .width = file().SWidth};
  }

  /// Reads the pixels of the frame into a transparent image.
  void read_pixels(Image& image) {
    struct Pass {
      int first = 0;
      int step = 1;
    };
    static constexpr Pass kInterlaced[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
    static constexpr Pass kInOrder[] = {{0, 1}};
    std::vector<GifPixelType> line(frame().Width);
    for (const Pass& pass : frame().Interlace ? std::span<const Pass>(kInterlaced) : kInOrder) {
      for (int y = pass.first; y < frame().Height; y += pass.step) {
        require(DGifGetLine(gif_.get(), line.data(), frame().Width));
        put_line(line, frame().Top + y, image);
      }
    }
  }

  /// Goes to the next frame; returns false at the end of the file.
  bool next_frame() {
    while (true) {
      GifRecordType type = UNDEFINED_RECORD_TYPE;
      require(DGifGetRecordType(gif_.get(), &type));
      if (type == IMAGE_DESC_RECORD_TYPE) return true;
      if (type == TERMINATE_RECORD_TYPE) return false;
      if (type == EXTENSION_RECORD_TYPE) read_extension();
    }
  }

 private:
  const GifFileType& file() const { return *gif_.get(); }
  const GifImageDesc& frame() const { return file().Image; }
  const ColorMapObject* colors() const {
    return frame().ColorMap != nullptr ? frame().ColorMap : file().SColorMap;
  }

  void require(int status) const {
    if (status != GIF_OK) refuse_gif(file().Error);
  }

  void require_frame() const {
    const bool is_inside = frame().Left >= 0 && frame().Top >= 0 && frame().Width >= 1 &&
                           frame().Height >= 1 && frame().Left + frame().Width <= file().SWidth &&
                           frame().Top + frame().Height <= file().SHeight;
    if (!is_inside) throw DataError("GIF is damaged: its first frame is not within the image");
    if (colors() == nullptr) throw DataError("GIF is damaged: has no color table");
  }

  void read_extension() {
    int code = 0;
    GifByteType* block = nullptr;
    require(DGifGetExtension(gif_.get(), &code, &block));
    while (block != nullptr) {  // its length, then its bytes
      if (code == GRAPHICS_EXT_FUNC_CODE) DGifExtensionToGCB(block[0], block + 1, &control_);
      require(DGifGetExtensionNext(gif_.get(), &block));
    }
  }

  void put_line(const std::vector<GifPixelType>& line, int y, Image& image) const {
    const std::size_t first = static_cast<std::size_t>(y) * image.width + frame().Left;
    std::uint8_t* to = image.hwc.data() + first * image.channels;
    for (const GifPixelType index : line) {
      if (index != transparent_) {
        if (index >= colors()->ColorCount)
          throw DataError("GIF is damaged: color not in its table");
        const GifColorType& color = colors()->Colors[index];
        to[0] = color.Red;
        to[1] = color.Green;
        to[2] = color.Blue;
        if (image.channels == 4) to[3] = 255;
      }
      to += image.channels;
    }
  }

  std::span<const std::uint8_t> left_;  // giflib points to it
  GifFile gif_;
  GraphicsControlBlock control_ = {.DisposalMode = DISPOSAL_UNSPECIFIED,
                                   .UserInputFlag = false,
                                   .DelayTime = 0,
                                   .TransparentColor = NO_TRANSPARENT_COLOR};
  int transparent_ = NO_TRANSPARENT_COLOR;  ///< of the first frame
};

}  // namespace

Image decode_gif(std::span<const std::uint8_t> bytes) {
  GifReading reading(bytes);
  Image image = reading.shape();
  image.hwc.resize(static_cast<std::size_t>(image.height) * image.width * image.channels);
  reading.read_pixels(image);
  image.has_more_frames = reading.next_frame();
  return image;
}

Image gif_shape(std::span<const std::uint8_t> bytes) { return GifReading(bytes).shape(); }

}  // namespace ganscale::data
