#include "data/formats/label_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <span>

#include "base/error.h"
#include "base/utf8.h"
#include "data/formats/file_bytes.h"
#include "files/endian.h"

namespace ganscale::data {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr char kMagic[] = "\x93NUMPY";

/// The element types of label files, by their NumPy names.
struct ElementType {
  std::int64_t bytes;
  double (*read)(const std::uint8_t*);
};

template <class T>
ElementType element_type() {
  return {sizeof(T), [](const std::uint8_t* from) {
            T value;
            std::memcpy(&value, from, sizeof(T));
            return static_cast<double>(value);
          }};
}

const std::map<std::string, ElementType>& element_types() {
  static const std::map<std::string, ElementType> types = {
      {"<f4", element_type<float>()},        {"<f8", element_type<double>()},
      {"|u1", element_type<std::uint8_t>()}, {"|i1", element_type<std::int8_t>()},
      {"|b1", element_type<std::uint8_t>()}, {"<u2", element_type<std::uint16_t>()},
      {"<i2", element_type<std::int16_t>()}, {"<u4", element_type<std::uint32_t>()},
      {"<i4", element_type<std::int32_t>()}, {"<u8", element_type<std::uint64_t>()},
      {"<i8", element_type<std::int64_t>()},
  };
  return types;
}

struct Array {
  ElementType type = {};
  std::vector<std::int64_t> shape;
  std::span<const std::uint8_t> bytes = {};

  double at(std::int64_t index) const { return type.read(bytes.data() + index * type.bytes); }
};

std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::vector<std::int64_t> shape;
  static const std::regex kNumber("[0-9]{1,15}");
  for (std::sregex_iterator i(text.begin(), text.end(), kNumber), end; i != end; ++i) {
    shape.push_back(std::stoll(i->str()));
  }
  return shape;
}

/// Splits a file into header and elements.
std::pair<std::string, std::span<const std::uint8_t>> split(std::span<const std::uint8_t> content) {
  constexpr std::size_t kVersionAt = 6;
  constexpr std::size_t kLongestHeaderBytes = 4096;  // std::regex recurses with the text
  if (content.size() < 12 || std::memcmp(content.data(), kMagic, kVersionAt) != 0) {
    throw DataError("not a NumPy file");
  }
  const bool short_length = content[kVersionAt] == 1;
  const std::size_t header_at = short_length ? 10 : 12;
  const std::size_t header_bytes = short_length ? files::little_endian_16(content.data() + 8)
                                                : files::little_endian_32(content.data() + 8);
  if (header_at + header_bytes > content.size()) throw DataError("file is truncated");
  if (header_bytes > kLongestHeaderBytes) throw DataError("header is too long");
  const auto* header = reinterpret_cast<const char*>(content.data()) + header_at;
  return {{header, header_bytes}, content.subspan(header_at + header_bytes)};
}

/// Returns whether the number of bytes matches the shape.
bool is_whole(const Array& array) {
  std::int64_t left = static_cast<std::int64_t>(array.bytes.size()) / array.type.bytes;
  for (const std::int64_t side : array.shape) {
    if (side == 0) return true;
    left /= side;
  }
  return left >= 1;
}

/// Parses the header, a Python dictionary with a known order of keys.
Array parse_array(std::span<const std::uint8_t> content) {
  static const std::regex kHeader(
      R"(\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\),? *\}\s*)");
  const auto [header, elements] = split(content);
  std::smatch parts;
  if (!std::regex_match(header, parts, kHeader)) throw DataError("header is not NumPy's");
  const auto type = element_types().find(parts[1]);
  if (type == element_types().end() || parts[2] == "True") {
    throw DataError("element type or order is not supported (" + header + ")");
  }
  const Array array{.type = type->second, .shape = parse_shape(parts[3]), .bytes = elements};
  if (array.shape.empty() || array.shape.size() > 2) throw DataError("shape is not [N] or [N, L]");
  if (!is_whole(array)) throw DataError("file is truncated");
  return array;
}

[[noreturn]] void refuse_row(const char* why, std::int64_t record) {
  throw DataError(std::string(why) + " (record " + std::to_string(record) + ")");
}

LabelSet labels_of_rows(const Array& array) {
  LabelSet labels;
  labels.count = array.shape[1];
  if (labels.count == 0) return labels;
  for (std::int64_t record = 0; record < array.shape[0]; ++record) {
    std::int64_t hot = -1;
    for (std::int64_t column = 0; column < labels.count; ++column) {
      const double value = array.at(record * labels.count + column);
      if (value == 0) continue;
      if (value != 1 || hot >= 0) refuse_row("label is not one-hot", record);
      hot = column;
    }
    if (hot < 0) refuse_row("label is not one-hot", record);
    labels.values.push_back(hot);
  }
  return labels;
}

LabelSet labels_of_integers(const Array& array) {
  LabelSet labels;
  for (std::int64_t record = 0; record < array.shape[0]; ++record) {
    const double value = array.at(record);
    const bool valid = value >= 0 && value < kMostLabels;
    if (!valid || value != static_cast<double>(static_cast<std::int64_t>(value))) {
      refuse_row("label is out of range", record);
    }
    labels.values.push_back(static_cast<std::int64_t>(value));
    labels.count = std::max(labels.count, labels.values.back() + 1);
  }
  return labels;
}

std::vector<std::string> read_names(const std::filesystem::path& file, std::int64_t count) {
  if (!storage_of(file).is_file(file)) return {};
  std::vector<std::string> names;
  try {
    names = nlohmann::ordered_json::parse(read_file(file)).get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    throw DataError("label names are damaged: " + file.string() + ", " + error.what());
  }
  if (static_cast<std::int64_t>(names.size()) != count) {
    throw DataError("label names do not match the labels: " + file.string() + " holds " +
                    std::to_string(names.size()) + " names for " + std::to_string(count));
  }
  return names;
}

}  // namespace

std::filesystem::path label_names_file(const std::filesystem::path& label_file) {
  return std::filesystem::path(label_file).replace_extension(".label-names.json");
}

LabelSet read_label_file(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> content = read_file(file);
  LabelSet labels;
  try {
    const Array array = parse_array(content);
    labels = array.shape.size() == 1 ? labels_of_integers(array) : labels_of_rows(array);
  } catch (const DataError& error) {
    throw DataError("labels cannot be read: " + file.string() + ", " + error.what());
  }
  if (labels.count > 0) labels.names = read_names(label_names_file(file), labels.count);
  return labels;
}

void write_label_file(const std::filesystem::path& file, const LabelSet& labels) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(labels.values.size()) + ", " + std::to_string(labels.count) +
                       "), }";
  constexpr std::size_t kAlignment = 64;  // the data starts at a multiple of it
  while ((10 + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(kMagic, 6);
  const char version_and_length[] = {1, 0, static_cast<char>(header.size() & 0xff),
                                     static_cast<char>(header.size() >> 8)};
  out.write(version_and_length, 4);
  out << header;
  std::vector<float> row(labels.count);
  for (const std::int64_t label : labels.values) {
    std::fill(row.begin(), row.end(), 0.0F);
    row.at(label) = 1;
    out.write(reinterpret_cast<const char*>(row.data()),
              static_cast<std::streamsize>(row.size() * sizeof(float)));
  }
  out.close();
  if (!out) throw DataError("cannot write the labels: " + file.string());
  if (labels.names.empty()) return;
  auto json = nlohmann::ordered_json::array();
  for (const std::string& name : labels.names) json.push_back(valid_utf8(name));
  std::ofstream names(label_names_file(file), std::ios::trunc);
  names << json.dump(2) << '\n';
  names.close();
  if (!names) throw DataError("cannot write the label names: " + label_names_file(file).string());
}

}  // namespace ganscale::data
