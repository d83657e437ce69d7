#include "pickle/tensor_view.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace ganscale::pickle {
namespace {

struct DtypeRow {
  std::string_view storage_class;
  std::int64_t element_bytes;
};

/// In the order of Dtype.
constexpr std::array<DtypeRow, 10> kDtypes{{{"DoubleStorage", 8},
                                            {"FloatStorage", 4},
                                            {"HalfStorage", 2},
                                            {"BFloat16Storage", 2},
                                            {"LongStorage", 8},
                                            {"IntStorage", 4},
                                            {"ShortStorage", 2},
                                            {"CharStorage", 1},
                                            {"ByteStorage", 1},
                                            {"BoolStorage", 1}}};

bool is_negative(std::int64_t number) { return number < 0; }

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw DataError("a tensor is too large");
  return result;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw DataError("a tensor is too large");
  return result;
}

}  // namespace

std::optional<Dtype> dtype_of_storage(std::string_view class_name) {
  const auto* found = std::ranges::find(kDtypes, class_name, &DtypeRow::storage_class);
  if (found == kDtypes.end()) return std::nullopt;
  return static_cast<Dtype>(found - kDtypes.begin());
}

std::int64_t element_bytes(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].element_bytes;
}

void require_in_storage(const TensorView& view) {
  if (view.sizes.size() != view.strides.size())
    throw DataError("a tensor has other numbers of sizes and strides");
  if (view.offset < 0 || std::ranges::any_of(view.sizes, is_negative) ||
      std::ranges::any_of(view.strides, is_negative)) {
    throw DataError("a tensor has a negative size, stride or offset");
  }
  std::int64_t element_count = 1;
  std::int64_t last = view.offset;
  for (std::size_t i = 0; i < view.sizes.size(); ++i) {
    element_count = product(element_count, view.sizes[i]);
    last = sum(last, product(std::max<std::int64_t>(view.sizes[i] - 1, 0), view.strides[i]));
  }
  if (element_count > 0 && last >= view.storage.element_count)
    throw DataError("a tensor is larger than its storage");
}

}  // namespace ganscale::pickle
