#include "pickle/tensor_view.h"

#include <limits>

#include "support/expect_error.h"

namespace ganscale::pickle {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TensorView view(std::int64_t offset, std::vector<std::int64_t> sizes,
                std::vector<std::int64_t> strides) {
  return {.storage = {.dtype = Dtype::kFloat, .key = "0", .element_count = 12},
          .offset = offset,
          .sizes = std::move(sizes),
          .strides = std::move(strides)};
}

TEST(TensorView, MayEndWhereItsStorageEnds) {
  EXPECT_NO_THROW(require_in_storage(view(0, {3, 4}, {4, 1})));
  EXPECT_NO_THROW(require_in_storage(view(0, {4, 3}, {1, 4})));
  EXPECT_NO_THROW(require_in_storage(view(11, {}, {})));
  EXPECT_NO_THROW(require_in_storage(view(3, {1000}, {0})));
  // without an element
  EXPECT_NO_THROW(require_in_storage(view(12, {0}, {1})));
  EXPECT_NO_THROW(require_in_storage(view(0, {100, 0}, {1, 1})));
}

TEST(TensorView, MayNotLeaveItsStorage) {
  for (const TensorView& outside : {view(0, {13}, {1}), view(1, {3, 4}, {4, 1}), view(12, {}, {}),
                                    view(0, {2, 2}, {11, 1}), view(kLargest, {1}, {1})}) {
    expect_error(ExitCode::kData, "a tensor is larger than its storage",
                 [&] { require_in_storage(outside); });
  }
}

TEST(TensorView, IsRefusedIfItsNumbersOverflow) {
  for (const TensorView& large :
       {view(0, {kLargest, 2}, {0, 0}), view(0, {3}, {kLargest}), view(1, {2}, {kLargest})}) {
    expect_error(ExitCode::kData, "a tensor is too large", [&] { require_in_storage(large); });
  }
}

TEST(TensorView, HasNoNegativeNumbers) {
  for (const TensorView& negative :
       {view(-1, {1}, {1}), view(0, {-1}, {1}), view(0, {2}, {-1}), view(11, {2}, {-1})}) {
    expect_error(ExitCode::kData, "a negative size, stride or offset",
                 [&] { require_in_storage(negative); });
  }
  expect_error(ExitCode::kData, "other numbers of sizes and strides",
               [&] { require_in_storage(view(0, {1, 1}, {1})); });
}

TEST(DtypeOfStorage, IsThatOfItsClass) {
  EXPECT_EQ(dtype_of_storage("BFloat16Storage"), Dtype::kBFloat16);
  EXPECT_EQ(dtype_of_storage("BoolStorage"), Dtype::kBool);
  EXPECT_EQ(dtype_of_storage("QInt8Storage"), std::nullopt);
  EXPECT_EQ(element_bytes(Dtype::kDouble), 8);
  EXPECT_EQ(element_bytes(Dtype::kHalf), 2);
  EXPECT_EQ(element_bytes(Dtype::kBool), 1);
}

}  // namespace
}  // namespace ganscale::pickle
