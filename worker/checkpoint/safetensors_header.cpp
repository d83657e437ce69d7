#include "checkpoint/safetensors_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.h"

namespace ganscale::checkpoint {
namespace {

struct DtypeName {
  std::string_view name;
  at::ScalarType dtype;
};

/// In the order of the public implementation.
constexpr std::array<DtypeName, 16> kDtypes{{{"U64", at::ScalarType::UInt64},
                                             {"I64", at::ScalarType::Long},
                                             {"F64", at::ScalarType::Double},
                                             {"C64", at::ScalarType::ComplexFloat},
                                             {"F32", at::ScalarType::Float},
                                             {"U32", at::ScalarType::UInt32},
                                             {"I32", at::ScalarType::Int},
                                             {"BF16", at::ScalarType::BFloat16},
                                             {"F16", at::ScalarType::Half},
                                             {"U16", at::ScalarType::UInt16},
                                             {"I16", at::ScalarType::Short},
                                             {"F8_E4M3", at::ScalarType::Float8_e4m3fn},
                                             {"F8_E5M2", at::ScalarType::Float8_e5m2},
                                             {"I8", at::ScalarType::Char},
                                             {"U8", at::ScalarType::Byte},
                                             {"BOOL", at::ScalarType::Bool}}};

/// Parses one header. Every error names the file and the tensor.
class HeaderParser {
 public:
  explicit HeaderParser(const std::filesystem::path& file) : file_(file) {}

  SafetensorsHeader parse(std::string_view text) const {
    SafetensorsHeader header;
    std::vector<OpenObject> open;
    const auto on_event = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
      if (event == nlohmann::json::parse_event_t::object_start) open.emplace_back();
      if (event == nlohmann::json::parse_event_t::key) enter_key(open.back(), parsed);
      if (event != nlohmann::json::parse_event_t::object_end) return true;
      open.pop_back();
      if (open.size() != 1) return true;
      add_entry(open.back().last_key, parsed, header);
      return false;  // otherwise the parser would search all kept entries at each end
    };
    // JSON may start with a space, but the format forbids it.
    if (!text.starts_with('{')) fail("the header is not a JSON object", "at byte 8");
    try {
      const auto others = nlohmann::json::parse(text, on_event);
      for (const auto& [name, value] : others.items()) add_entry(name, value, header);
    } catch (const nlohmann::json::exception& error) {
      fail("the header is not JSON", error.what());
    }
    return header;
  }

  /// Requires that the tensors, in order of their data, cover the file without overlaps or gaps.
  void check_coverage(const std::vector<TensorLayout>& tensors,
                      std::int64_t data_size_bytes) const {
    std::int64_t end_bytes = 0;
    for (const auto& layout : tensors) {
      if (layout.begin_bytes < end_bytes) fail("a tensor overlaps another one", layout.name);
      if (layout.begin_bytes > end_bytes) fail("there is a gap before a tensor", layout.name);
      end_bytes += layout.size_bytes;
      if (end_bytes > data_size_bytes) {
        fail("the safetensors file is truncated", layout.name + ": ends at byte " +
                                                      std::to_string(end_bytes) + " of " +
                                                      std::to_string(data_size_bytes));
      }
    }
    if (end_bytes < data_size_bytes) {
      fail("there are bytes after the last tensor", std::to_string(data_size_bytes - end_bytes));
    }
  }

 private:
  struct OpenObject {
    std::set<std::string> keys;
    std::string last_key;
  };

  void enter_key(OpenObject& object, const nlohmann::json& parsed) const {
    object.last_key = parsed.get<std::string>();
    if (!object.keys.insert(object.last_key).second) {
      fail("duplicate name in the header", object.last_key);
    }
  }

  void add_entry(const std::string& name, const nlohmann::json& value,
                 SafetensorsHeader& header) const {
    if (name == "__metadata__") {
      header.metadata = metadata(value);
    } else {
      header.tensors.push_back(tensor(name, value));
    }
  }

  Metadata metadata(const nlohmann::json& value) const {
    if (!value.is_object()) fail("__metadata__ is not a map", value.type_name());
    Metadata result;
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail("a value in __metadata__ is not a string", key);
      result.emplace(key, text.get<std::string>());
    }
    return result;
  }

  TensorLayout tensor(const std::string& name, const nlohmann::json& value) const {
    const bool has_all_keys = value.is_object() && value.size() == 3 && value.contains("dtype") &&
                              value.contains("shape") && value.contains("data_offsets");
    if (!has_all_keys) fail("a tensor needs dtype, shape, data_offsets and nothing else", name);
    const auto offsets = integers(name, value["data_offsets"]);
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
      fail("data_offsets are not a begin and an end", name);
    }
    TensorLayout layout{name, dtype(name, value["dtype"]), integers(name, value["shape"]),
                        offsets[0], offsets[1] - offsets[0]};
    const auto expected_bytes = size_bytes(layout);
    if (expected_bytes != layout.size_bytes) {
      fail("data_offsets disagree with shape and dtype",
           name + ": " + std::to_string(layout.size_bytes) + " bytes, expected " +
               (expected_bytes ? std::to_string(*expected_bytes) : "more than a file can have"));
    }
    return layout;
  }

  [[noreturn]] void fail(const std::string& what, const std::string& where) const {
    throw DataError(what + ": " + file_.string() + ": " + where);
  }

  at::ScalarType dtype(const std::string& name, const nlohmann::json& value) const {
    const auto text = value.is_string() ? value.get<std::string>() : value.type_name();
    const auto found = std::ranges::find(kDtypes, text, &DtypeName::name);
    if (found == kDtypes.end()) fail("unknown dtype", name + ": " + text);
    return found->dtype;
  }

  std::vector<std::int64_t> integers(const std::string& name, const nlohmann::json& value) const {
    if (!value.is_array()) fail("expected a list of integers", name + ": " + value.type_name());
    std::vector<std::int64_t> result;
    for (const auto& number : value) {
      const bool fits = number.is_number_unsigned() &&
                        number.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
      if (!fits) fail("expected nonnegative integers in shape and data_offsets", name);
      result.push_back(number.get<std::int64_t>());
    }
    return result;
  }

  /// Returns nothing if the number of bytes does not fit into 64 bits, or that of a tensor without
  /// its extents of 0: a stride would not fit either.
  static std::optional<std::int64_t> size_bytes(const TensorLayout& layout) {
    auto bytes = static_cast<std::int64_t>(c10::elementSize(layout.dtype));
    for (const auto extent : layout.shape) {
      if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
        return std::nullopt;
    }
    return std::ranges::find(layout.shape, 0) == layout.shape.end() ? bytes : 0;
  }

  const std::filesystem::path& file_;
};

std::size_t dtype_index(const std::string& name, at::ScalarType dtype) {
  const auto found = std::ranges::find(kDtypes, dtype, &DtypeName::dtype);
  check(found != kDtypes.end(), "safetensors has no such dtype: " + name);
  return static_cast<std::size_t>(found - kDtypes.begin());
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::int64_t data_size_bytes,
                                           const std::filesystem::path& file) {
  const HeaderParser parser(file);
  SafetensorsHeader header = parser.parse(json);
  std::ranges::sort(header.tensors, {}, [](const TensorLayout& layout) {
    return std::pair(layout.begin_bytes, layout.size_bytes);
  });
  parser.check_coverage(header.tensors, data_size_bytes);
  return header;
}

SafetensorsHeader lay_out_tensors(const NamedTensors& tensors, const Metadata& metadata) {
  SafetensorsHeader header;
  header.metadata = metadata;
  for (const auto& [name, tensor] : tensors) {
    header.tensors.push_back({name, tensor.scalar_type(), tensor.sizes().vec(), 0,
                              static_cast<std::int64_t>(tensor.nbytes())});
  }
  std::ranges::stable_sort(header.tensors, {}, [](const TensorLayout& layout) {
    return dtype_index(layout.name, layout.dtype);
  });
  std::int64_t end_bytes = 0;
  for (auto& layout : header.tensors) {
    layout.begin_bytes = end_bytes;
    end_bytes += layout.size_bytes;
  }
  return header;
}

std::string format_safetensors_header(const SafetensorsHeader& header) {
  auto json = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) json["__metadata__"] = header.metadata;
  auto& entries = json.get_ref<nlohmann::ordered_json::object_t&>();
  for (const auto& layout : header.tensors) {
    nlohmann::ordered_json entry = {
        {"dtype", kDtypes[dtype_index(layout.name, layout.dtype)].name},
        {"shape", layout.shape},
        {"data_offsets", {layout.begin_bytes, layout.begin_bytes + layout.size_bytes}}};
    entries.emplace_back(layout.name, std::move(entry));  // json[name] would search all others
  }
  std::string text = json.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const auto length = std::bit_cast<std::array<char, 8>>(std::uint64_t{text.size()});
  return std::string(length.begin(), length.end()) + text;
}

}  // namespace ganscale::checkpoint
