#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ganscale::pickle {

/// The types of a storage.
enum class Dtype { kDouble, kFloat, kHalf, kBFloat16, kLong, kInt, kShort, kChar, kByte, kBool };

/// Returns the dtype of a class of storages of the module torch, such as FloatStorage; nothing for
/// another class.
std::optional<Dtype> dtype_of_storage(std::string_view class_name);

/// Returns the bytes of an element.
std::int64_t element_bytes(Dtype dtype);

/// Numbers that several tensors may share, in a file of their own.
struct Storage {
  Dtype dtype = Dtype::kFloat;
  std::string_view key;  ///< the name of the file
  std::int64_t element_count = 0;
};

/// A tensor as a view of a storage. Offset and strides are in elements.
struct TensorView {
  Storage storage;
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

/// Checks that every element of a view is in its storage.
///
/// Throws: DataError with the reason: a negative size, stride or offset, other numbers of sizes and
///         strides, more elements than 64 bits can count, an element outside the storage.
void require_in_storage(const TensorView& view);

}  // namespace ganscale::pickle
