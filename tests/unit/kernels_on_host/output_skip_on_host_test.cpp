#include <vector>

#include "kernels/output_skip/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

class OutputSkipOnHost : public KernelOnHost {
 protected:
  static constexpr double kClamp = 0.75;  // every type has it

  /// rgb is [N, C, pixels], or [N, pixels, C] seen so.
  static at::Tensor some_rgb(std::int64_t pixels, bool channels_last) {
    const auto rgb = numbers({2, 3, pixels});
    return channels_last ? rgb.transpose(1, 2).contiguous().transpose(1, 2) : rgb;
  }

  static OutputSkipTask task_of(const at::Tensor& rgb, double clamp) {
    return {.type = GetParam().type,
            .layout = {.image_count = rgb.size(0),
                       .channel_count = rgb.size(1),
                       .pixel_count = rgb.size(2),
                       .channel_stride = rgb.stride(1),
                       .pixel_stride = rgb.stride(2)},
            .clamp = clamp};
  }

  /// Calls `expect` with rgb, a bias and a clamp: one pixel, and more than the threads of a block.
  template <class Expect>
  static void for_each_case(Expect expect) {
    for (const std::int64_t pixels : {1, 300}) {
      for (const bool channels_last : {false, true}) {
        for (const double clamp : {-1.0, kClamp}) {
          expect(some_rgb(pixels, channels_last), wide(numbers({3})), clamp);
        }
      }
    }
  }

  static at::Tensor unclamped(const at::Tensor& rgb, const at::Tensor& bias) {
    return wide(rgb) + bias.view({1, 3, 1});
  }
  static at::Tensor mask(const at::Tensor& rgb, const at::Tensor& bias, double clamp) {
    const auto u = unclamped(rgb, bias);
    return clamp < 0 ? at::ones_like(u) : u.abs().lt(clamp).to(u.scalar_type());
  }
};

TEST_P(OutputSkipOnHost, AddsWhatIsClampedToTheImage) {
  for_each_case([](const at::Tensor& rgb, const at::Tensor& bias, double clamp) {
    const auto image = wide(numbers(rgb.sizes()));
    const auto u = unclamped(rgb, bias);
    const auto value = clamp < 0 ? u : u.clamp(-clamp, clamp);
    for (const bool adds : {false, true}) {
      const auto out = at::full(rgb.sizes(), -77, image.options());
      output_skip_kernel(OutputSkipArrays{.out = out.mutable_data_ptr(),
                                          .rgb = rgb.const_data_ptr(),
                                          .bias = bias.const_data_ptr(),
                                          .image = adds ? image.const_data_ptr() : nullptr},
                         task_of(rgb, clamp), nullptr);
      expect_close(out, adds ? image + value : value);
    }
  });
}

TEST_P(OutputSkipOnHost, HasTheGradientsOfRgbAndBias) {
  for_each_case([](const at::Tensor& rgb, const at::Tensor& bias, double clamp) {
    const auto gradient = wide(numbers(rgb.sizes())).abs();
    const OutputSkipTask task = task_of(rgb, clamp);
    const auto d_rgb = at::empty_strided(rgb.sizes(), rgb.strides(), rgb.options()).fill_(-77);
    const auto sums = at::full({output_skip_blocks(task.layout), 3}, -77, bias.options());
    output_skip_kernel(OutputSkipGradientArrays{.d_rgb = d_rgb.mutable_data_ptr(),
                                                .partial_sums = sums.mutable_data_ptr(),
                                                .gradient = gradient.const_data_ptr(),
                                                .rgb = rgb.const_data_ptr(),
                                                .bias = bias.const_data_ptr()},
                       task, nullptr);
    const auto expected = gradient * mask(rgb, bias, clamp);
    expect_close(d_rgb, expected);
    expect_close(sums.sum(0), expected.sum(at::IntArrayRef({0, 2})));
  });
}

TEST_P(OutputSkipOnHost, HasTheSecondGradient) {
  for_each_case([](const at::Tensor& rgb, const at::Tensor& bias, double clamp) {
    const auto rgb_tangent = at::empty_strided(rgb.sizes(), rgb.strides(), rgb.options());
    rgb_tangent.copy_(numbers(rgb.sizes()));
    const auto bias_tangent = wide(numbers({3}));
    for (const bool all : {false, true}) {
      const auto out = at::full(rgb.sizes(), -77, bias.options());
      output_skip_kernel(
          OutputSkipSecondGradientArrays{
              .out = out.mutable_data_ptr(),
              .rgb_tangent = rgb_tangent.const_data_ptr(),
              .bias_tangent = all ? bias_tangent.const_data_ptr() : nullptr,
              .rgb = rgb.const_data_ptr(),
              .bias = bias.const_data_ptr()},
          task_of(rgb, clamp), nullptr);
      const auto tangent =
          wide(rgb_tangent) + (all ? bias_tangent.view({1, 3, 1}) : at::zeros({1}));
      expect_close(out, tangent * mask(rgb, bias, clamp));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, OutputSkipOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
