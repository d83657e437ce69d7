#include <vector>

#include "kernels/modulated_conv/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

/// Channels and pixels that fill no block; enough pixels for several parts of a dot product.
std::vector<ImageLayout> layouts() {
  return {{.image_count = 2, .channel_count = 3, .pixel_count = 35},
          {.image_count = 2, .channel_count = 3, .pixel_count = 300},
          {.image_count = 2, .channel_count = 33, .pixel_count = 35, .channels_last = true},
          {.image_count = 2, .channel_count = 3, .pixel_count = 300, .channels_last = true}};
}

class ModulatedConvOnHost : public KernelOnHost {
 protected:
  static at::Tensor images(const ImageLayout& layout) {
    return numbers({layout.image_count, layout.channel_count, layout.pixel_count});
  }
};

TEST_P(ModulatedConvOnHost, ScalesChannelsAsTheReference) {
  for (ImageLayout layout : layouts()) {
    const auto x = images(layout);
    const auto scale = numbers({layout.image_count, layout.channel_count});
    const auto out = at::full_like(x, -77);
    layout.type = GetParam().type;
    scale_channels_kernel({out.mutable_data_ptr(), x.const_data_ptr(), scale.const_data_ptr()},
                          layout, nullptr);
    const auto expected = at::empty_like(wide(x));
    layout.type = wide_type();
    scale_channels_reference(
        {expected.mutable_data_ptr(), wide(x).const_data_ptr(), wide(scale).const_data_ptr()},
        layout);
    expect_close(out, expected);
  }
}

TEST_P(ModulatedConvOnHost, SumsTheProductsOfChannelsAsTheReference) {
  for (ImageLayout layout : layouts()) {
    const auto a = images(layout);
    const auto b = images(layout);
    layout.type = GetParam().type;
    const auto parts = at::full({dot_parts(layout), layout.image_count, layout.channel_count}, -77,
                                wide(a).options());
    dot_channels_kernel({parts.mutable_data_ptr(), a.const_data_ptr(), b.const_data_ptr()}, layout,
                        nullptr);
    const auto expected = at::empty_like(parts[0]);
    layout.type = wide_type();
    dot_channels_reference(
        {expected.mutable_data_ptr(), wide(a).const_data_ptr(), wide(b).const_data_ptr()}, layout);
    expect_close(parts.sum(0), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ModulatedConvOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
