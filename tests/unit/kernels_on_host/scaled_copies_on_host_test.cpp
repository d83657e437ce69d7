#include <vector>

#include "kernels/scaled_copies/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

class ScaledCopiesOnHost : public KernelOnHost {
 protected:
  ScaledCopyTask to_parameters() const { return {GetParam().type, wide_type()}; }
  ScaledCopyTask from_parameters() const { return {wide_type(), GetParam().type}; }
};

/// A weight [out, in, K, K] and its copy in channels last.
ScaledArray to_channels_last(const at::Tensor& out, const at::Tensor& in, double factor) {
  const auto channels = static_cast<std::int32_t>(in.size(1));
  const auto taps = static_cast<std::int32_t>(in.size(2) * in.size(3));
  return {.out = out.mutable_data_ptr(),
          .in = in.const_data_ptr(),
          .factor = factor,
          .element_count = static_cast<std::int32_t>(in.numel()),
          .sizes = {taps, channels},
          .strides = {channels * taps, 1, taps}};
}

ScaledArray to_same_layout(const at::Tensor& out, const at::Tensor& in, double factor) {
  const auto count = static_cast<std::int32_t>(in.numel());
  return {.out = out.mutable_data_ptr(),
          .in = in.const_data_ptr(),
          .factor = factor,
          .element_count = count,
          .sizes = {1, std::max(count, 1)}};
}

TEST_P(ScaledCopiesOnHost, ChangeLayoutAndTypeAndRoundOnce) {
  const at::Tensor weight = at::randn({5, 7, 3, 3}, wide(numbers({1})).options());
  const at::Tensor out =
      at::empty_like(weight, at::TensorOptions(GetParam().dtype), at::MemoryFormat::ChannelsLast);
  scaled_copies_kernel(std::vector{to_channels_last(out, weight, 0.3)}, from_parameters(), nullptr);
  EXPECT_TRUE(out.equal((weight * 0.3).to(GetParam().dtype)));
}

TEST_P(ScaledCopiesOnHost, AddTheGradientOfEnergies) {
  const at::Tensor in =
      numbers({5, 7, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast);  // as a copy lies
  const at::Tensor weight = wide(numbers({5, 7, 3, 3}));
  const at::Tensor of_energies = wide(numbers({5, 7}));
  const at::Tensor out = at::empty_like(weight);
  scaled_copies_kernel(std::vector<ScaledArray>{{.out = out.mutable_data_ptr(),
                                                 .in = in.const_data_ptr(),
                                                 .factor = 0.3,
                                                 .weight = weight.const_data_ptr(),
                                                 .energy_gradient = of_energies.const_data_ptr(),
                                                 .taps = 9,
                                                 .element_count = 315,
                                                 .sizes = {7, 9},
                                                 .strides = {63, 1, 7}}},
                       to_parameters(), nullptr);
  expect_close(out, wide(in) * 0.3 + 2 * weight * of_energies.unsqueeze(2).unsqueeze(3));
}

TEST_P(ScaledCopiesOnHost, TakeAsManyTensorsOfAnySizeAsALaunch) {
  const int large = host_grid::is_slow() ? 600 : 40'000;  // more than its blocks have threads
  std::vector<at::Tensor> in = {numbers({0}), numbers({large})};
  while (in.size() < kMostScaledArrays) in.push_back(numbers({static_cast<int>(in.size())}));
  std::vector<at::Tensor> out;
  std::vector<ScaledArray> arrays;
  for (std::size_t i = 0; i < in.size(); ++i) {
    out.push_back(at::empty_like(wide(in[i])));
    arrays.push_back(to_same_layout(out[i], in[i], 1.0 + static_cast<double>(i)));
  }
  scaled_copies_kernel(arrays, to_parameters(), nullptr);
  for (std::size_t i = 1; i < in.size(); ++i) {
    expect_close(out[i], wide(in[i]) * (1.0 + static_cast<double>(i)));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ScaledCopiesOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
