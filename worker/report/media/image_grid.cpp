#include "report/media/image_grid.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/image/png_codec.h"
#include "files/atomic_file.h"

namespace ganscale::report {
namespace {

// [-1, 1] → 0 ... 255; the inverse of u / 127.5 - 1, so that real images are unchanged.
at::Tensor to_bytes(const at::Tensor& images) {
  const auto host = images.detach().cpu();
  if (host.scalar_type() == at::kByte) return host;
  check(host.is_floating_point(), "a grid needs uint8 or floating images");
  return host.to(at::kFloat).nan_to_num(-1.0).mul(127.5).add(128).clamp(0, 255).to(at::kByte);
}

}  // namespace

GridLayout square_layout(std::int64_t image_count) {
  const double side = std::sqrt(static_cast<double>(std::max<std::int64_t>(1, image_count)));
  return {.columns = static_cast<int>(std::ceil(side))};
}

at::Tensor make_grid(const at::Tensor& images, GridLayout layout) {
  check(images.dim() == 4 && images.size(0) > 0, "a grid needs [N, C, H, W] and N > 0");
  check(images.size(1) == 1 || images.size(1) == 3, "a grid needs 1 or 3 channels");
  check(layout.columns > 0 && layout.gap_pixels >= 0 && layout.scale > 0, "a grid needs a column");
  const auto pixels = to_bytes(images)
                          .permute({0, 2, 3, 1})  // [N, H, W, C]
                          .repeat_interleave(layout.scale, 1)
                          .repeat_interleave(layout.scale, 2);
  const auto count = pixels.size(0), height = pixels.size(1), width = pixels.size(2);
  const std::int64_t columns = layout.columns;
  const auto rows = (count + columns - 1) / columns;
  const std::int64_t gap = layout.gap_pixels;
  auto grid = pixels.new_full(
      {rows * (height + gap) - gap, columns * (width + gap) - gap, pixels.size(3)}, 255);
  for (std::int64_t i = 0; i < count; ++i) {
    grid.narrow(0, i / columns * (height + gap), height)
        .narrow(1, i % columns * (width + gap), width)
        .copy_(pixels.select(0, i));
  }
  return grid;
}

std::string encode_png(const at::Tensor& pixels) {
  check(pixels.dim() == 3 && pixels.scalar_type() == at::kByte, "a PNG needs [H, W, C] uint8");
  const auto whole = pixels.contiguous();
  const auto* first = whole.const_data_ptr<std::uint8_t>();
  return data::encode_png({.channels = static_cast<int>(whole.size(2)),
                           .height = static_cast<int>(whole.size(0)),
                           .width = static_cast<int>(whole.size(1)),
                           .hwc = {first, first + whole.numel()}});
}

void write_image_grid(const at::Tensor& images, GridLayout layout,
                      const std::filesystem::path& path) {
  files::write_file_atomically(path, encode_png(make_grid(images, layout)));
}

}  // namespace ganscale::report
