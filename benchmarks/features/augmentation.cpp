#include "augmentation.h"

#include <ATen/Functions.h>

#include <cstdint>

#include "kernels/counter_random/counter_random.h"

namespace ganscale::features {
namespace {

constexpr std::int64_t kMostShift = 4;  // pixels
constexpr std::int64_t kNumbers = 3;    // of an image

/// number: in [0, 1). Returns where a cut out of the padded image starts.
std::int64_t start_of_cut(double number) {
  return static_cast<std::int64_t>(number * (2 * kMostShift + 1));
}

}  // namespace

at::Tensor mirrored_and_shifted(const at::Tensor& images, const ImageRandom& numbers) {
  const auto uniform =
      kernels::random_uniform(numbers, Stream::kAugment, /*site=*/0, {images.size(0), kNumbers},
                              at::TensorOptions(at::kDouble));
  const auto* number = uniform.const_data_ptr<double>();
  const auto padded = at::constant_pad_nd(images, {kMostShift, kMostShift, kMostShift, kMostShift});
  auto result = at::empty_like(images);
  for (std::int64_t i = 0; i < images.size(0); ++i, number += kNumbers) {
    const auto cut = padded[i]
                         .narrow(1, start_of_cut(number[0]), images.size(2))
                         .narrow(2, start_of_cut(number[1]), images.size(3));
    result[i].copy_(number[2] < 0.5 ? cut.flip(2) : cut);
  }
  return result;
}

}  // namespace ganscale::features
