#include <utility>
#include <vector>

#include "kernels/modulated_conv/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

/// Vectors that end with a pixel, a plane and an image, or do not; enough pixels for several parts
/// of an image.
std::vector<ImageLayout> layouts() {
  std::vector<ImageLayout> result;
  const std::vector<std::pair<std::int64_t, std::int64_t>> channels_and_pixels = {
      {3, 35}, {3, 300}, {33, 35}, {16, 40}, {2, 2560}};
  for (const bool channels_last : {false, true}) {
    for (const auto& [channels, pixels] : channels_and_pixels) {
      result.push_back({.image_count = 2,
                        .channel_count = channels,
                        .pixel_count = pixels,
                        .channels_last = channels_last});
    }
  }
  return result;
}

class ModulatedConvOnHost : public KernelOnHost {
 protected:
  /// Images behind as many numbers as are asked for, which may forbid access by 16 bytes.
  static at::Tensor images_behind(std::int64_t others, const ImageLayout& layout) {
    const std::int64_t count = layout.image_count * layout.channel_count * layout.pixel_count;
    return numbers({others + count})
        .slice(0, others)
        .view({layout.image_count, layout.channel_count, layout.pixel_count});
  }

  static at::Tensor scaled_by_kernel(const at::Tensor& x, const at::Tensor& scale,
                                     ImageLayout layout) {
    const auto out = at::full_like(x, -77);
    layout.type = GetParam().type;
    scale_channels_kernel({out.mutable_data_ptr(), x.const_data_ptr(), scale.const_data_ptr()},
                          layout, nullptr);
    return out;
  }

  static at::Tensor scaled_by_reference(const at::Tensor& x, const at::Tensor& scale,
                                        ImageLayout layout) {
    const auto out = at::full_like(x, -77);
    layout.type = wide_type();
    scale_channels_reference({out.mutable_data_ptr(), x.const_data_ptr(), scale.const_data_ptr()},
                             layout);
    return out;
  }
};

TEST_P(ModulatedConvOnHost, ScalesChannelsAsTheReference) {
  for (const ImageLayout& layout : layouts()) {
    for (const std::int64_t others : {0, 1}) {
      const auto x = images_behind(others, layout);
      const auto scale = numbers({layout.image_count, layout.channel_count});
      expect_close(scaled_by_kernel(x, scale, layout),
                   scaled_by_reference(wide(x), wide(scale), layout));
    }
  }
}

// In float64, and of positive numbers: the reference adds thousands of products one by one.
TEST_P(ModulatedConvOnHost, SumsTheProductsOfChannelsAsTheReference) {
  for (ImageLayout layout : layouts()) {
    for (const std::int64_t others : {0, 1}) {
      const auto a = images_behind(others, layout).abs_();
      const auto b = images_behind(0, layout).abs_();
      layout.type = GetParam().type;
      const auto rows =
          at::full({walk_of(layout).partial_rows(), layout.image_count, layout.channel_count}, -77,
                   wide(a).options());
      dot_channels_kernel({rows.mutable_data_ptr(), a.const_data_ptr(), b.const_data_ptr()}, layout,
                          nullptr);
      const auto expected = at::empty_like(rows[0], at::kDouble);
      layout.type = ScalarType::kFloat64;
      dot_channels_reference({expected.mutable_data_ptr(), a.to(at::kDouble).const_data_ptr(),
                              b.to(at::kDouble).const_data_ptr()},
                             layout);
      expect_close(rows.sum(0), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ModulatedConvOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
