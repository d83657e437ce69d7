#include <utility>
#include <vector>

#include "kernels/bias_act/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

constexpr Activation kActivations[] = {
    Activation::kLinear, Activation::kRelu,     Activation::kLeakyRelu,
    Activation::kTanh,   Activation::kSigmoid,  Activation::kElu,
    Activation::kSelu,   Activation::kSoftplus, Activation::kSwish};

/// Images of so many pixels and channels.
struct Images {
  std::int64_t count;
  std::int64_t channels;
  std::int64_t pixels;
};

/// Vectors that end with a pixel, a plane and the batch, or do not; pixels of several vectors and
/// several of a vector; more of each than a block has threads.
constexpr Images kImages[] = {{2, 8, 16}, {2, 3, 55}, {3, 1, 9}, {5, 513, 1}, {1, 2, 2500}};

class BiasActOnHost : public KernelOnHost {
 protected:
  /// Numbers behind as many others as are asked for, which may forbid access by 16 bytes.
  static at::Tensor numbers_behind(std::int64_t others, std::int64_t count) {
    return numbers({others + count}).slice(0, others);
  }

  static BiasActArrays arrays_of(const std::vector<at::Tensor>& in, const at::Tensor& out) {
    return {.out = out.mutable_data_ptr(),
            .x = in[0].const_data_ptr(),
            .bias = in[1].const_data_ptr(),
            .gradient = in[2].const_data_ptr(),
            .tangent = in[3].const_data_ptr(),
            .addend = in.size() > 4 ? in[4].const_data_ptr() : nullptr};
  }

  /// What the reference fills.
  static at::Tensor expected_of(const std::vector<at::Tensor>& in, BiasActTask task) {
    std::vector<at::Tensor> wide_in;
    for (const auto& tensor : in) wide_in.push_back(wide(tensor));
    const auto out = at::full_like(wide_in[0], -77);
    task.type = wide_type();
    bias_act_reference(arrays_of(wide_in, out), task);
    return out;
  }

  static void expect_reference(const std::vector<at::Tensor>& in, BiasActTask task) {
    const auto out = at::full_like(in[0], -77);
    task.type = GetParam().type;
    bias_act_kernel(arrays_of(in, out), task, nullptr);
    expect_close(out, expected_of(in, task));
  }

  /// Channels last, and not.
  static std::vector<ChannelLayout> layouts_of(const Images& images) {
    const std::int64_t count = images.count * images.channels * images.pixels;
    return {{count, images.channels, 1}, {count, images.channels, images.pixels}};
  }

  static std::vector<at::Tensor> inputs_behind(std::int64_t others, const ChannelLayout& layout) {
    const std::int64_t count = layout.element_count;
    return {numbers_behind(others, count), numbers({layout.channel_count}),
            numbers_behind(others, count), numbers_behind(others, count)};
  }
};

TEST_P(BiasActOnHost, MatchesTheReference) {
  for (const ChannelLayout& layout : layouts_of({2, 3, 55})) {
    const auto in = inputs_behind(0, layout);
    for (const auto activation : kActivations) {
      for (const auto order : {BiasActOrder::kValue, BiasActOrder::kDerivative,
                               BiasActOrder::kDerivativeOfInput, BiasActOrder::kSecondDerivative}) {
        SCOPED_TRACE(testing::Message() << "activation " << static_cast<int>(activation)
                                        << ", order " << static_cast<int>(order));
        expect_reference(in, {.layout = layout,
                              .rule = {activation, /*gain=*/1.5, /*clamp=*/1.25, /*slope=*/0.25},
                              .order = order});
      }
    }
  }
}

TEST_P(BiasActOnHost, TakesImagesOfEverySizeAndAlignment) {
  for (const Images& images : kImages) {
    for (const ChannelLayout& layout : layouts_of(images)) {
      for (const std::int64_t others : {0, 1}) {
        SCOPED_TRACE(testing::Message() << images.channels << " channels of " << images.pixels);
        expect_reference(inputs_behind(others, layout),
                         {.layout = layout, .rule = {Activation::kLeakyRelu, 1.5, 1.25, 0.25}});
      }
    }
  }
}

TEST_P(BiasActOnHost, AddsToThePiecewiseLinear) {
  for (const ChannelLayout& layout : layouts_of({2, 3, 55})) {
    for (const std::int64_t others : {0, 1}) {
      auto in = inputs_behind(others, layout);
      in.push_back(numbers_behind(others, layout.element_count));
      for (const auto activation :
           {Activation::kLinear, Activation::kRelu, Activation::kLeakyRelu}) {
        expect_reference(in, {.layout = layout, .rule = {activation, 1.5, 1.25, 0.25}});
      }
    }
  }
}

TEST_P(BiasActOnHost, SumsADerivativeOverAllButItsChannels) {
  for (const Images& images : kImages) {
    for (const ChannelLayout& layout : layouts_of(images)) {
      const auto in = inputs_behind(0, layout);
      for (const auto& [activation, order] :
           {std::pair{Activation::kLeakyRelu, BiasActOrder::kDerivative},
            std::pair{Activation::kLeakyRelu, BiasActOrder::kDerivativeOfInput},
            std::pair{Activation::kSwish, BiasActOrder::kDerivative}}) {
        SCOPED_TRACE(testing::Message() << images.channels << " channels of " << images.pixels);
        const BiasActTask task{.type = GetParam().type,
                               .layout = layout,
                               .rule = {activation, 1.5, 1.25, 0.25},
                               .order = order};
        const auto out = at::full_like(in[0], -77);
        const auto sums =
            at::full({walk_of(task).partial_rows(), images.channels}, -77, wide(out).options());
        BiasActArrays arrays = arrays_of(in, out);
        arrays.partial_sums = sums.mutable_data_ptr();
        bias_act_kernel(arrays, task, nullptr);
        const auto expected = expected_of(in, task);
        expect_close(out, expected);
        const auto by_channel =
            layout.channel_stride == 1
                ? expected.view({-1, images.channels}).sum(0)
                : expected.view({-1, images.channels, images.pixels}).sum(at::IntArrayRef{0, 2});
        expect_close(sums.sum(0), by_channel);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, BiasActOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
