#include "models/stylegan3/modulated_convolution.h"

#include <ATen/ATen.h>

#include "support/check_gradients.h"

namespace ganscale::models::stylegan3 {
namespace {

/// The definition: a weight of its own for each image.
at::Tensor by_definition(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& styles,
                         const Modulation& modulation) {
  at::Tensor w = weight;
  at::Tensor s = styles;
  if (modulation.demodulates) {
    w = w / w.square().mean({1, 2, 3}, true).sqrt();
    s = s / s.square().mean().sqrt();
  }
  std::vector<at::Tensor> images;
  for (std::int64_t n = 0; n < x.size(0); ++n) {
    at::Tensor own = w * s[n].view({1, -1, 1, 1});
    if (modulation.demodulates) own = own / (own.square().sum({1, 2, 3}, true) + 1e-8).sqrt();
    if (modulation.input_gain.defined()) own = own * modulation.input_gain;
    images.push_back(at::conv2d(x.narrow(0, n, 1), own, {}, 1, modulation.padding));
  }
  return at::cat(images);
}

TEST(ModulatedConvolution, IsItsDefinition) {
  const at::Tensor x = fixed_numbers({3, 4, 6, 5}, 0);
  const at::Tensor weight = fixed_numbers({2, 4, 3, 3}, 1);
  const at::Tensor styles = fixed_numbers({3, 4}, 2) + 1;
  for (const bool demodulates : {false, true}) {
    for (const at::Tensor& gain : {at::Tensor(), at::ones({}, at::kDouble) * 0.3}) {
      const Modulation modulation{.demodulates = demodulates, .padding = 2, .input_gain = gain};
      const at::Tensor y = modulated_convolution(x, weight, styles, modulation);
      EXPECT_TRUE(at::allclose(y, by_definition(x, weight, styles, modulation), 1e-11, 1e-12));
    }
  }
}

TEST(ModulatedConvolution, HasTwoDerivatives) {
  expect_two_derivatives(
      [](const Tensors& in) { return modulated_convolution(in[0], in[1], in[2], {.padding = 1}); },
      {fixed_numbers({2, 2, 3, 3}, 0), fixed_numbers({2, 2, 3, 3}, 1),
       fixed_numbers({2, 2}, 2) + 1});
}

// 512 inputs of 250 each would add up to more than float16 holds.
TEST(ModulatedConvolution, StaysWithinTheRangeOfFloat16) {
  const at::Tensor x = at::full({1, 512, 4, 4}, 250.0).to(at::kHalf);
  const at::Tensor y =
      modulated_convolution(x, at::ones({8, 512, 3, 3}), at::ones({1, 512}), {.padding = 1});
  EXPECT_EQ(y.scalar_type(), at::kHalf);
  EXPECT_TRUE(y.isfinite().all().item<bool>());
}

}  // namespace
}  // namespace ganscale::models::stylegan3
