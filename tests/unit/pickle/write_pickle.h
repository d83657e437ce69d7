#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// Writes pickles by hand, operation by operation, as PyTorch does not.
namespace ganscale::pickle {

using namespace std::string_literals;

inline std::string little_endian(std::uint64_t number, int byte_count) {
  std::string bytes;
  for (int i = 0; i < byte_count; ++i) bytes += static_cast<char>(number >> (8 * i));
  return bytes;
}

/// Returns a pickle of protocol 2.
inline std::string pickled(const std::string& operations) { return "\x80\x02" + operations + "."; }

inline std::string text(std::string_view value) {
  return "X" + little_endian(value.size(), 4) + std::string(value);
}

/// An integer of eight bytes (LONG1).
inline std::string number(std::int64_t value) {
  return "\x8a\x08" + little_endian(static_cast<std::uint64_t>(value), 8);
}

inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

inline std::string tuple(const std::string& items) { return "(" + items + "t"; }

inline std::string storage(std::int64_t element_count) {
  return tuple(text("storage") + global("torch", "FloatStorage") + text("0") + text("cpu") +
               number(element_count)) +
         "Q";
}

/// A float32 tensor; sizes and strides are the operations of their numbers.
inline std::string tensor(std::int64_t element_count, std::int64_t offset, const std::string& sizes,
                          const std::string& strides) {
  return global("torch._utils", "_rebuild_tensor_v2") +
         tuple(storage(element_count) + number(offset) + tuple(sizes) + tuple(strides) + "\x89" +
               global("collections", "OrderedDict") + ")R") +
         "R";
}

inline std::span<const std::uint8_t> bytes_of(std::string_view content) {
  return {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()};
}

}  // namespace ganscale::pickle
