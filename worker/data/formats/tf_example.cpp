#include "data/formats/tf_example.h"

#include <optional>
#include <string_view>

#include "base/error.h"

namespace ganscale::data {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr int kVarint = 0;
constexpr int kFixed64 = 1;
constexpr int kLengthDelimited = 2;
constexpr int kFixed32 = 5;

/// Iterates over the fields of a message.
/// Format: https://protobuf.dev/programming-guides/encoding
class Fields {
 public:
  explicit Fields(Bytes message) : rest_(message) {}

  /// Moves to the next field; returns false at the end.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t tag = varint();
    number_ = static_cast<int>(tag >> 3);
    type_ = static_cast<int>(tag & 7);
    switch (type_) {
      case kVarint: value_ = varint(); break;
      case kLengthDelimited: bytes_ = take(varint()); break;
      case kFixed64: take(8); break;
      case kFixed32: take(4); break;
      default: throw DataError("tf.Example is damaged (wire type " + std::to_string(type_) + ")");
    }
    return true;
  }

  /// Returns whether the field has this number, and is bytes or a message.
  bool is_bytes(int number) const { return number_ == number && type_ == kLengthDelimited; }
  bool is_varint(int number) const { return number_ == number && type_ == kVarint; }
  Bytes bytes() const { return bytes_; }
  std::uint64_t value() const { return value_; }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = take(1)[0];
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    throw DataError("tf.Example is damaged (number of more than 64 bits)");
  }
  bool at_end() const { return rest_.empty(); }

 private:
  Bytes take(std::uint64_t count) {
    if (count > rest_.size()) throw DataError("tf.Example is damaged (a field ends too late)");
    const Bytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  Bytes rest_;
  int number_ = 0;
  int type_ = 0;
  std::uint64_t value_ = 0;
  Bytes bytes_;
};

/// Returns the last field `number` of a message, if it has one.
std::optional<Bytes> find(Bytes message, int number) {
  std::optional<Bytes> found;
  Fields fields(message);
  while (fields.next()) {
    if (fields.is_bytes(number)) found = fields.bytes();
  }
  return found;
}

/// Reads an Int64List of three integers, packed or not.
std::array<std::int64_t, 3> three_integers(Bytes list) {
  std::array<std::int64_t, 3> values = {};
  std::size_t count = 0;
  const auto add = [&](std::uint64_t value) {
    if (count == 3) throw DataError("tf.Example's shape has more than three dimensions");
    values[count++] = static_cast<std::int64_t>(value);
  };
  Fields fields(list);
  while (fields.next()) {
    if (fields.is_varint(1)) add(fields.value());
    if (!fields.is_bytes(1)) continue;
    Fields packed(fields.bytes());
    while (!packed.at_end()) add(packed.varint());
  }
  if (count != 3) throw DataError("tf.Example's shape has fewer than three dimensions");
  return values;
}

void put_varint(std::vector<std::uint8_t>& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(value));
}

std::size_t varint_bytes(std::uint64_t value) {
  std::size_t count = 1;
  while (value >>= 7) ++count;
  return count;
}

/// Returns the size of a length-delimited field, including tag and length. All our field numbers
/// are below 16, so a tag is one byte.
std::size_t field_bytes(std::size_t content) { return 1 + varint_bytes(content) + content; }

void put_header(std::vector<std::uint8_t>& out, int number, std::size_t content) {
  out.push_back(static_cast<std::uint8_t>(number << 3 | kLengthDelimited));
  put_varint(out, content);
}

void put_bytes(std::vector<std::uint8_t>& out, int number, Bytes content) {
  put_header(out, number, content.size());
  out.insert(out.end(), content.begin(), content.end());
}

Bytes bytes_of_text(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Writes an entry of the map Features.feature: the name, and a Feature whose field `kind` is a
/// list with the field `content`.
void put_feature(std::vector<std::uint8_t>& out, std::string_view name, int kind, Bytes content) {
  const std::size_t list = field_bytes(content.size());
  const std::size_t feature = field_bytes(list);
  put_header(out, 1, field_bytes(name.size()) + field_bytes(feature));
  put_bytes(out, 1, bytes_of_text(name));
  put_header(out, 2, feature);
  put_header(out, kind, list);
  put_bytes(out, 1, content);
}

std::size_t feature_bytes(std::string_view name, std::size_t content) {
  return field_bytes(field_bytes(name.size()) + field_bytes(field_bytes(field_bytes(content))));
}

// The fields of tf.train.Example and of the messages inside it.
constexpr int kExampleFeatures = 1;
constexpr int kFeaturesFeature = 1;
constexpr int kEntryKey = 1;
constexpr int kEntryValue = 2;
constexpr int kFeatureBytesList = 1;
constexpr int kFeatureInt64List = 3;
constexpr int kListValue = 1;

}  // namespace

ImageExample parse_image_example(Bytes message) {
  ImageExample example;
  bool has_shape = false;
  bool has_data = false;
  Fields features(find(message, kExampleFeatures).value_or(Bytes{}));
  while (features.next()) {
    if (!features.is_bytes(kFeaturesFeature)) continue;
    const Bytes key = find(features.bytes(), kEntryKey).value_or(Bytes{});
    const std::string_view name(reinterpret_cast<const char*>(key.data()), key.size());
    if (name != "shape" && name != "data") continue;
    const Bytes feature = find(features.bytes(), kEntryValue).value_or(Bytes{});
    if (name == "shape") {
      example.shape = three_integers(find(feature, kFeatureInt64List).value_or(Bytes{}));
      has_shape = true;
    } else if (const auto list = find(feature, kFeatureBytesList)) {
      example.data = find(*list, kListValue).value_or(Bytes{});
      has_data = true;
    }
  }
  if (!has_shape || !has_data) {
    throw DataError("tf.Example lacks a feature (it must have 'shape' and 'data')");
  }
  return example;
}

void write_image_example(const ImageExample& example, std::vector<std::uint8_t>& message) {
  std::vector<std::uint8_t> shape;
  for (const std::int64_t side : example.shape) put_varint(shape, side);
  message.clear();
  put_header(message, kExampleFeatures,
             feature_bytes("data", example.data.size()) + feature_bytes("shape", shape.size()));
  put_feature(message, "data", kFeatureBytesList, example.data);
  put_feature(message, "shape", kFeatureInt64List, shape);
}

}  // namespace ganscale::data
