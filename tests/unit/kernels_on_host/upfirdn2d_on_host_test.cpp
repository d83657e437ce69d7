#include <vector>

#include "kernels/upfirdn2d/fill.h"
#include "support/expect_error.h"
#include "support/upfirdn2d_cases.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

PixelStrides strides_of(const at::Tensor& x) {
  return {x.stride(0), x.stride(1), x.stride(2), x.stride(3)};
}

UpfirdnShape shape_of(const at::Tensor& x, const at::Tensor& filter, const Upfirdn& options) {
  UpfirdnShape shape{.options = options,
                     .plane_count = x.size(0) * x.size(1),
                     .in = {x.size(2), x.size(3)},
                     .filter = {filter.size(0), filter.size(1)}};
  set_out_size(shape);
  return shape;
}

class Upfirdn2dOnHost : public KernelOnHost {
 protected:
  /// addend: laid out as the result, or undefined.
  static at::Tensor by_kernel(const at::Tensor& x, const at::Tensor& filter,
                              const UpfirdnShape& shape, const at::Tensor& addend = {}) {
    const auto out = empty_result(x, shape);
    upfirdn2d_kernel({.x = x.const_data_ptr(),
                      .filter = filter.const_data_ptr(),
                      .out = out.mutable_data_ptr(),
                      .addend = addend.defined() ? addend.const_data_ptr() : nullptr,
                      .x_strides = strides_of(x),
                      .out_strides = strides_of(out),
                      .channel_count = x.size(1),
                      .type = GetParam().type},
                     shape, nullptr);
    return out;
  }

  static at::Tensor empty_result(const at::Tensor& x, const UpfirdnShape& shape) {
    return at::full({x.size(0), x.size(1), shape.out.height, shape.out.width}, -77, x.options())
        .contiguous(x.suggest_memory_format());
  }

  /// Expects the reference's values, and their sum with others.
  static void expect_reference(const at::Tensor& x, const at::Tensor& filter,
                               const Upfirdn& options) {
    const auto shape = shape_of(x, filter, options);
    const auto expected = by_reference(wide(x), filter, shape);
    expect_close(by_kernel(x, filter, shape), expected);
    const auto addend = empty_result(x, shape).copy_(numbers(expected.sizes()));
    expect_close(by_kernel(x, filter, shape, addend), expected + wide(addend));
  }

  static at::Tensor by_reference(const at::Tensor& x, const at::Tensor& filter,
                                 const UpfirdnShape& shape) {
    const auto planes = x.contiguous();
    const auto out =
        at::empty({x.size(0), x.size(1), shape.out.height, shape.out.width}, x.options());
    if (x.scalar_type() == at::kDouble) {
      upfirdn2d_reference(planes.const_data_ptr<double>(), filter.const_data_ptr<double>(),
                          out.data_ptr<double>(), shape);
    } else {
      upfirdn2d_reference(planes.const_data_ptr<float>(), filter.const_data_ptr<float>(),
                          out.data_ptr<float>(), shape);
    }
    return out;
  }
};

TEST_P(Upfirdn2dOnHost, IsTheReferenceInEveryLayout) {
  const auto filter = wide(numbers({5, 4}));
  const auto image = numbers({1, 2, 13, 11});
  for (const auto& x : {image, image.contiguous(at::MemoryFormat::ChannelsLast),
                        numbers({1, 2, 11, 13}).transpose(2, 3)}) {
    for (const auto& options : upfirdn2d_cases()) {
      expect_reference(x, filter, options);
    }
  }
}

// A block has 32 columns, or channels, and eight rows.
TEST_P(Upfirdn2dOnHost, TakesImagesOfSeveralBlocks) {
  const auto filter = wide(numbers({4, 4}));
  const Upfirdn options{
      .up_x = 2, .up_y = 2, .pad_left = 2, .pad_right = 1, .pad_top = 2, .gain = 4};
  const auto wide_image = numbers({2, 2, 9, 40});
  const auto many_channels = numbers({2, 40, 3, 9}).contiguous(at::MemoryFormat::ChannelsLast);
  for (const auto& x : {wide_image, many_channels}) {
    expect_reference(x, filter, options);
  }
}

/// Kept, doubled and halved with the pads of both directions of a layer, and of their gradients.
std::vector<Upfirdn> resamplings_by_four_taps() {
  std::vector<Upfirdn> result;
  for (const std::int64_t before : {-1, 2, 3}) {
    const Upfirdn pads{.pad_left = before, .pad_right = 2, .pad_top = 3 - before, .pad_bottom = 1};
    for (Upfirdn options : {pads, pads, pads}) {
      if (result.size() % 3 == 1) options.up_x = options.up_y = 2;
      if (result.size() % 3 == 2) options.down_x = options.down_y = 2;
      options.gain = options.up_x * options.up_y;
      options.flip_filter = before == 2;
      result.push_back(options);
    }
  }
  return result;
}

// Taps that no mirror or exchange of the axes leaves as they are; none that is not a product.
TEST_P(Upfirdn2dOnHost, IsTheReferenceForFourTaps) {
  const auto dtype = wide(numbers({1})).scalar_type();
  const auto product =
      at::tensor({1.0, 2.0, 5.0, 3.0}).outer(at::tensor({2.0, 7.0, 1.0, 4.0})).to(dtype) / 154;
  const auto other = wide(numbers({4, 4}));
  const auto last = at::MemoryFormat::ChannelsLast;
  std::vector<at::Tensor> images = {numbers({2, 3, 9, 6}), numbers({1, 16, 5, 4}).contiguous(last)};
  if (!host_grid::is_slow()) {
    images.push_back(numbers({2, 3, 5, 7}).contiguous(last));
    images.push_back(numbers({1, 16, 9, 5}).contiguous(last));
    images.push_back(numbers({1, 12, 3, 3}));
    images.push_back(numbers({1, 11, 4, 5}).contiguous(last));
  }
  for (const auto& x : images) {
    for (const auto& options : resamplings_by_four_taps()) {
      for (const auto& filter : {product, other}) {
        expect_reference(x, filter, options);
      }
    }
  }
}

TEST_P(Upfirdn2dOnHost, WalksDownStripsOfLargeImagesByFourTaps) {
  const auto filter = at::tensor({1.0, 3.0, 3.0, 1.0}).outer(at::tensor({1.0, 3.0, 3.0, 1.0}));
  const auto taps = (filter / 64).to(wide(numbers({1})).scalar_type());
  const auto last = at::MemoryFormat::ChannelsLast;
  std::vector<at::Tensor> images = {numbers({1, 24, 9, 33}).contiguous(last)};
  if (!host_grid::is_slow()) {
    images.push_back(numbers({1, 8, 70, 40}).contiguous(last));
    images.push_back(numbers({1, 24, 20, 33}).contiguous(last));
    images.push_back(numbers({2, 2, 70, 140}));
  }
  for (const auto& image : images) {
    Upfirdn options{.pad_left = 2, .pad_right = 1, .pad_top = 2, .pad_bottom = 1};
    expect_reference(image, taps, options);
    options.up_x = options.up_y = 2;
    expect_reference(image, taps, options);
    options.up_x = options.up_y = 1;
    options.down_x = options.down_y = 2;
    expect_reference(image, taps, options);
  }
}

TEST_P(Upfirdn2dOnHost, TakesPixelsThatNoAccessOfSixteenBytesReaches) {
  const auto filter = wide(numbers({4, 4})).square();
  const auto behind_one = numbers({1 + 1 * 5 * 7 * 16}).slice(0, 1).view({1, 5, 7, 16});
  const auto x = behind_one.permute({0, 3, 1, 2});
  expect_reference(x, filter, {.pad_left = 2, .pad_right = 1});
}

TEST_P(Upfirdn2dOnHost, RefusesAFilterThatItCannotKeep) {
  const auto filter = wide(numbers({33, 32}));
  const auto x = numbers({1, 1, 40, 40});
  expect_error(ExitCode::kBug, "at most 1024 taps",
               [&] { by_kernel(x, filter, shape_of(x, filter, {})); });
}

INSTANTIATE_TEST_SUITE_P(Types, Upfirdn2dOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
