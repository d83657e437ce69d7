#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels/counter_random/counter_random.h"

namespace ganscale::kernels {
namespace {

const ImageRandom kImages{1234, std::int64_t{1} << 33, 3};

/// Shapes whose rows end within a block, and one larger than a grid.
const std::vector<std::vector<std::int64_t>> kDrawnShapes = {
    {1, 1}, {3, 5}, {7, 4}, {64, 100}, {5, 3, 17, 19}, {16, 64, 128, 128}, {0, 8}};

class CounterRandomKernel : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "there is no CUDA device";
  }
  at::TensorOptions on(at::DeviceType device) const {
    return at::TensorOptions(device).dtype(GetParam());
  }
};

TEST_P(CounterRandomKernel, GivesTheUniformNumbersOfTheReference) {
  for (const auto& shape : kDrawnShapes) {
    const auto kernel = random_uniform(kImages, Stream::kAugment, 3, shape, on(at::kCUDA));
    EXPECT_TRUE(
        kernel.cpu().equal(random_uniform(kImages, Stream::kAugment, 3, shape, on(at::kCPU))));
  }
}

TEST_P(CounterRandomKernel, ReadsTheFirstImagesNumberFromMemoryAtEachDraw) {
  const auto first = at::empty({}, at::TensorOptions(at::kCUDA).dtype(at::kLong));
  ImageRandom images = kImages;
  images.first_image_in_memory = first.const_data_ptr<std::int64_t>();
  for (const std::int64_t number : {5, 7}) {
    first.fill_(number);
    const auto drawn = random_uniform(images, Stream::kAugment, 3, {3, 5}, on(at::kCUDA));
    const ImageRandom told{kImages.seed, number, kImages.image_stride};
    EXPECT_TRUE(drawn.cpu().equal(random_uniform(told, Stream::kAugment, 3, {3, 5}, on(at::kCPU))));
  }
}

TEST_P(CounterRandomKernel, GivesTheDropoutMasksOfTheReference) {
  for (const auto& shape : kDrawnShapes) {
    RandomStream device(kImages, Stream::kDiscriminatorNoise);
    RandomStream host(kImages, Stream::kDiscriminatorNoise);
    EXPECT_TRUE(device.dropout_mask(0.25, shape, on(at::kCUDA))
                    .cpu()
                    .equal(host.dropout_mask(0.25, shape, on(at::kCPU))));
  }
}

// The logarithm, sine and cosine of the two devices differ in the last bits.
TEST_P(CounterRandomKernel, GivesTheNormalNumbersOfTheReferenceUpToRounding) {
  const double tolerance = GetParam() == at::kDouble ? 1e-13 : 1e-5;
  for (const auto& shape : kDrawnShapes) {
    const auto kernel = random_normal(kImages, Stream::kSamples, 0, shape, on(at::kCUDA));
    const auto reference = random_normal(kImages, Stream::kSamples, 0, shape, on(at::kCPU));
    EXPECT_TRUE(at::allclose(kernel.cpu(), reference, tolerance, tolerance));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CounterRandomKernel, testing::Values(at::kFloat, at::kDouble));

}  // namespace
}  // namespace ganscale::kernels
