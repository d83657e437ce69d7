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
            .row_length = 4 * 60 + 3};
  }

  template <class Fill>
  static at::Tensor filled(const RandomRows& rows, Fill fill) {
    const auto out = at::full({rows.row_count, rows.row_length}, -77, GetParam().dtype);
    if (GetParam().dtype == at::kDouble) {
      fill(out.data_ptr<double>());
    } else {
      fill(out.data_ptr<float>());
    }
    return out;
  }
};

TEST_P(CounterRandomOnHost, DrawsTheUniformNumbersOfTheReference) {
  const auto drawn = filled(rows(), [](auto* out) { fill_uniform_kernel(out, rows(), nullptr); });
  EXPECT_TRUE(drawn.equal(filled(rows(), [](auto* out) { fill_uniform_reference(out, rows()); })));
}

TEST_P(CounterRandomOnHost, DrawsTheNormalNumbersOfTheReference) {
  const auto drawn = filled(rows(), [](auto* out) { fill_normal_kernel(out, rows(), nullptr); });
  expect_close(drawn, filled(rows(), [](auto* out) { fill_normal_reference(out, rows()); }));
}

TEST_P(CounterRandomOnHost, DrawsTheDropoutMasksOfTheReference) {
  const Dropout dropout{1U << 30, 4.0 / 3};
  const auto drawn =
      filled(rows(), [&](auto* out) { fill_dropout_kernel(out, rows(), dropout, nullptr); });
  EXPECT_TRUE(drawn.equal(
      filled(rows(), [&](auto* out) { fill_dropout_reference(out, rows(), dropout); })));
}

TEST_P(CounterRandomOnHost, ReadsTheFirstImagesNumberFromMemory) {
  const std::int64_t first = 5;
  RandomRows told = rows();
  told.images.first_image = first;
  RandomRows read = rows();
  read.images.first_image_in_memory = &first;
  const auto drawn = filled(read, [&](auto* out) { fill_uniform_kernel(out, read, nullptr); });
  EXPECT_TRUE(drawn.equal(filled(told, [&](auto* out) { fill_uniform_reference(out, told); })));
}

INSTANTIATE_TEST_SUITE_P(Types, CounterRandomOnHost, testing::Values(kFloat32, kFloat64),
                         name_of_type);

}  // namespace
}  // namespace ganscale::kernels
