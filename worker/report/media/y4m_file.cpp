#include "report/media/y4m_file.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>

#include <string>

#include "files/append_file.h"

namespace ganscale::report {
namespace {

/// Returns the planes of an image one after the other. pixels: [H, W, 3].
at::Tensor luma_and_chroma(const at::Tensor& pixels) {
  // ITU-R BT.601-7, section 2.5, for values of 0 ... 255.
  const auto factors =
      at::tensor({65.481, 128.553, 24.966, -37.797, -74.203, 112.0, 112.0, -93.786, -18.214},
                 at::kDouble)
          .view({3, 3}) /
      255;
  const auto offsets = at::tensor({16.0, 128.0, 128.0}, at::kDouble).unsqueeze(1);
  const auto planes = at::matmul(factors, pixels.to(at::kDouble).flatten(0, 1).t()) + offsets;
  return planes.round().to(at::kByte).contiguous();
}

/// Returns gray pixels as luma, 16 ... 235: players expect limited range, as for colors.
at::Tensor luma(const at::Tensor& pixels) {
  return (pixels.to(at::kDouble) * (219.0 / 255) + 16).round().to(at::kByte).contiguous();
}

std::string y4m_header(at::IntArrayRef shape, int frames_per_second) {
  return "YUV4MPEG2 W" + std::to_string(shape[1]) + " H" + std::to_string(shape[0]) + " F" +
         std::to_string(frames_per_second) + ":1 Ip A1:1 " + (shape[2] == 1 ? "Cmono" : "C444") +
         "\n";
}

class Y4mFile : public VideoFile {
 public:
  Y4mFile(const std::filesystem::path& path, int frames_per_second)
      : file_(path), frames_per_second_(frames_per_second) {
    file_.truncate(0);
  }

  void finish() override {}

 private:
  void write(const at::Tensor& pixels) override {
    if (!has_header_) file_.append(y4m_header(pixels.sizes(), frames_per_second_));
    has_header_ = true;
    const auto planes = pixels.size(2) == 1 ? luma(pixels) : luma_and_chroma(pixels);
    const auto* bytes = reinterpret_cast<const char*>(planes.const_data_ptr<std::uint8_t>());
    file_.append("FRAME\n" + std::string(bytes, planes.nbytes()));
  }

  files::AppendFile file_;
  int frames_per_second_;
  bool has_header_ = false;
};

}  // namespace

std::unique_ptr<VideoFile> open_y4m(const std::filesystem::path& path, int frames_per_second) {
  return std::make_unique<Y4mFile>(path, frames_per_second);
}

}  // namespace ganscale::report
