#include "report/video_file.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>

#include <string>

#include "base/error.h"

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

}  // namespace

VideoFile::VideoFile(const std::filesystem::path& path, int frames_per_second)
    : file_(path), frames_per_second_(frames_per_second) {
  check(frames_per_second > 0, "a video has at least a frame a second");
  file_.truncate(0);
}

void VideoFile::append(const at::Tensor& pixels) {
  check(pixels.dim() == 3 && pixels.scalar_type() == at::kByte, "a frame is [H, W, C] uint8");
  check(pixels.size(2) == 1 || pixels.size(2) == 3, "a frame has 1 or 3 channels");
  if (shape_.empty()) {
    shape_ = pixels.sizes().vec();
    file_.append(y4m_header(shape_, frames_per_second_));
  }
  check(pixels.sizes() == at::IntArrayRef(shape_), "all frames of a video have one shape");
  const auto planes = shape_[2] == 1 ? luma(pixels) : luma_and_chroma(pixels);
  const auto* bytes = reinterpret_cast<const char*>(planes.const_data_ptr<std::uint8_t>());
  file_.append("FRAME\n" + std::string(bytes, planes.nbytes()));
}

}  // namespace ganscale::report
