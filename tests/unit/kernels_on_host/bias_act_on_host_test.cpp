#include <vector>

#include "kernels/bias_act/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

class BiasActOnHost : public KernelOnHost {
 protected:
  static BiasActArrays arrays_of(const std::vector<at::Tensor>& in, const at::Tensor& out) {
    return {.out = out.mutable_data_ptr(),
            .x = in[0].const_data_ptr(),
            .bias = in[1].const_data_ptr(),
            .gradient = in[2].const_data_ptr(),
            .tangent = in[3].const_data_ptr()};
  }

  static void expect_reference(const std::vector<at::Tensor>& in, BiasActTask task) {
    std::vector<at::Tensor> wide_in;
    for (const auto& tensor : in) wide_in.push_back(wide(tensor));
    const auto out = at::full_like(in[0], -77);
    const auto expected = at::full_like(wide_in[0], -77);
    task.type = GetParam().type;
    bias_act_kernel(arrays_of(in, out), task, nullptr);
    task.type = wide_type();
    bias_act_reference(arrays_of(wide_in, expected), task);
    expect_close(out, expected);
  }
};

TEST_P(BiasActOnHost, FillsWhatTheReferenceFills) {
  constexpr std::int64_t kChannels = 3;
  constexpr std::int64_t kCount = 2 * kChannels * 5 * 11;  // ends within a block
  const std::vector<at::Tensor> in = {numbers({kCount}), numbers({kChannels}), numbers({kCount}),
                                      numbers({kCount})};
  for (const auto activation : {Activation::kLinear, Activation::kRelu, Activation::kLeakyRelu,
                                Activation::kTanh, Activation::kSigmoid, Activation::kElu,
                                Activation::kSelu, Activation::kSoftplus, Activation::kSwish}) {
    for (const auto order :
         {BiasActOrder::kValue, BiasActOrder::kDerivative, BiasActOrder::kSecondDerivative}) {
      for (const std::int64_t channel_stride : {1, 55}) {  // channels last, and not
        SCOPED_TRACE(testing::Message() << "activation " << static_cast<int>(activation)
                                        << ", order " << static_cast<int>(order));
        expect_reference(in, {.layout = {kCount, kChannels, channel_stride},
                              .rule = {activation, /*gain=*/1.5, /*clamp=*/1.25, /*slope=*/0.25},
                              .order = order});
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, BiasActOnHost, every_type(), name_of_type);

}  // namespace
}  // namespace ganscale::kernels
