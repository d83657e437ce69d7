#include "kernels/counter_random/fill.h"
#include "unit/kernels_on_host/kernel_case.h"

namespace ganscale::kernels {
namespace {

class CounterRandomOnHost : public KernelOnHost {
 protected:
  /// Rows that end inside a block of four words; more of these blocks than threads.
  static RandomRows rows() {
    return {.images = {1234, std::int64_t{1} << 33, 3},
            .stream = Stream::kAugment,
            .site = 7,
            .row_count = 5,
            .row_length = 4 * 60 + 3,
            .type = GetParam().type};
  }

  static at::Tensor room_for(const RandomRows& rows) {
    return at::full({rows.row_count, rows.row_length}, -77, GetParam().dtype);
  }

  static at::Tensor drawn(const RandomRows& rows, const Distribution& distribution) {
    const auto out = room_for(rows);
    random_numbers_kernel(out.mutable_data_ptr(), rows, distribution, nullptr);
    return out;
  }

  static at::Tensor expected(const RandomRows& rows, const Distribution& distribution) {
    const auto out = room_for(rows);
    random_numbers_reference(out.mutable_data_ptr(), rows, distribution);
    return out;
  }
};

TEST_P(CounterRandomOnHost, DrawsTheUniformNumbersOfTheReference) {
  EXPECT_TRUE(drawn(rows(), Uniform{}).equal(expected(rows(), Uniform{})));
}

TEST_P(CounterRandomOnHost, DrawsTheNormalNumbersOfTheReference) {
  expect_close(drawn(rows(), Normal{}), expected(rows(), Normal{}));
}

TEST_P(CounterRandomOnHost, DrawsTheDropoutMasksOfTheReference) {
  const Dropout dropout{1U << 30, 4.0 / 3};
  EXPECT_TRUE(drawn(rows(), dropout).equal(expected(rows(), dropout)));
}

TEST_P(CounterRandomOnHost, ReadsTheFirstImagesNumberFromMemory) {
  const std::int64_t first = 5;
  RandomRows told = rows();
  told.images.first_image = first;
  RandomRows read = rows();
  read.images.first_image_in_memory = &first;
  EXPECT_TRUE(drawn(read, Uniform{}).equal(expected(told, Uniform{})));
}

INSTANTIATE_TEST_SUITE_P(Types, CounterRandomOnHost, testing::Values(kFloat32, kFloat64),
                         name_of_type);

}  // namespace
}  // namespace ganscale::kernels
