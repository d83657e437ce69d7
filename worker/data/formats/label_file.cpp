#include "data/formats/label_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <system_error>

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
  std::int64_t offset = 0;  ///< of the elements, in the file

  std::int64_t row_bytes() const { return (shape.size() == 1 ? 1 : shape[1]) * type.bytes; }
};

std::vector<std::int64_t> parse_shape(const std::string& text) {
  std::vector<std::int64_t> shape;
  static const std::regex kNumber("[0-9]{1,15}");
  for (std::sregex_iterator i(text.begin(), text.end(), kNumber), end; i != end; ++i) {
    shape.push_back(std::stoll(i->str()));
  }
  return shape;
}

/// Returns the header of a file, and the offset of the elements after it.
std::pair<std::string, std::int64_t> read_header(const FileBytes& file) {
  constexpr std::size_t kVersionAt = 6;
  constexpr std::size_t kBeforeHeaderBytes = 12;
  constexpr std::size_t kLongestHeaderBytes = 4096;  // std::regex recurses with the text
  std::vector<std::uint8_t> buffer;
  const auto start = file.read_some(0, kBeforeHeaderBytes + kLongestHeaderBytes, buffer);
  if (start.size() < kBeforeHeaderBytes || std::memcmp(start.data(), kMagic, kVersionAt) != 0) {
    throw DataError("not a NumPy file");
  }
  const bool short_length = start[kVersionAt] == 1;
  const std::size_t header_at = short_length ? 10 : kBeforeHeaderBytes;
  const std::size_t header_bytes = short_length ? files::little_endian_16(start.data() + 8)
                                                : files::little_endian_32(start.data() + 8);
  if (header_bytes > kLongestHeaderBytes) throw DataError("header is too long");
  if (header_at + header_bytes > start.size()) throw DataError("file is truncated");
  const auto* header = reinterpret_cast<const char*>(start.data()) + header_at;
  return {{header, header_bytes}, static_cast<std::int64_t>(header_at + header_bytes)};
}

/// Returns whether so many bytes are enough for the shape.
bool is_whole(const Array& array, std::int64_t size_bytes) {
  std::int64_t left = size_bytes / array.type.bytes;
  for (const std::int64_t side : array.shape) {
    if (side == 0) return true;
    left /= side;
  }
  return left >= 1;
}

/// Parses the header, a Python dictionary with a known order of keys.
Array read_array(const FileBytes& file) {
  static const std::regex kHeader(
      R"(\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\),? *\}\s*)");
  const auto [header, offset] = read_header(file);
  std::smatch parts;
  if (!std::regex_match(header, parts, kHeader)) throw DataError("header is not NumPy's");
  const auto type = element_types().find(parts[1]);
  if (type == element_types().end() || parts[2] == "True") {
    throw DataError("element type or order is not supported (" + header + ")");
  }
  const Array array{.type = type->second, .shape = parse_shape(parts[3]), .offset = offset};
  if (array.shape.empty() || array.shape.size() > 2) throw DataError("shape is not [N] or [N, L]");
  if (!is_whole(array, file.size_bytes() - offset)) throw DataError("file is truncated");
  return array;
}

/// Calls use(row, its first element) for all rows, and reads some at a time: the one-hot labels of
/// ImageNet have 5 GB.
template <class Use>
void for_each_row(const FileBytes& file, const Array& array, Use use) {
  constexpr std::int64_t kBlockBytes = 1 << 22;
  const std::int64_t rows_a_block = std::max<std::int64_t>(1, kBlockBytes / array.row_bytes());
  std::vector<std::uint8_t> buffer;
  for (std::int64_t first = 0; first < array.shape[0]; first += rows_a_block) {
    const std::int64_t count = std::min(rows_a_block, array.shape[0] - first);
    const auto block =
        file.read(array.offset + first * array.row_bytes(), count * array.row_bytes(), buffer);
    for (std::int64_t i = 0; i < count; ++i) use(first + i, block.data() + i * array.row_bytes());
  }
}

[[noreturn]] void refuse_row(const char* why, std::int64_t record) {
  throw DataError(std::string(why) + " (record " + std::to_string(record) + ")");
}

LabelSet labels_of_rows(const FileBytes& file, const Array& array) {
  LabelSet labels;
  labels.count = array.shape[1];
  if (labels.count == 0) return labels;
  for_each_row(file, array, [&](std::int64_t record, const std::uint8_t* row) {
    std::int64_t hot = -1;
    for (std::int64_t column = 0; column < labels.count; ++column) {
      const double value = array.type.read(row + column * array.type.bytes);
      if (value == 0) continue;
      if (value != 1 || hot >= 0) refuse_row("label is not one-hot", record);
      hot = column;
    }
    if (hot < 0) refuse_row("label is not one-hot", record);
    labels.values.push_back(hot);
  });
  return labels;
}

LabelSet labels_of_integers(const FileBytes& file, const Array& array) {
  LabelSet labels;
  for_each_row(file, array, [&](std::int64_t record, const std::uint8_t* element) {
    const double value = array.type.read(element);
    const bool valid = value >= 0 && value < kMostLabels;
    if (!valid || value != static_cast<double>(static_cast<std::int64_t>(value))) {
      refuse_row("label is out of range", record);
    }
    labels.values.push_back(static_cast<std::int64_t>(value));
    labels.count = std::max(labels.count, labels.values.back() + 1);
  });
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

/// Flushes and closes a file. Throws DataError with the system's reason if not all of it could be
/// written.
void finish(std::ofstream& out, const char* what, const std::filesystem::path& file) {
  const auto require_success = [&] {
    if (out) return;
    const int reason = errno;
    throw DataError(std::string(what) + ": " + file.string() + ": " +
                    std::generic_category().message(reason));
  };
  out.flush();
  require_success();  // before close(), which may overwrite the reason
  out.close();
  require_success();
}

}  // namespace

std::filesystem::path label_names_file(const std::filesystem::path& label_file) {
  return std::filesystem::path(label_file).replace_extension(".label-names.json");
}

LabelSet read_label_file(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  LabelSet labels;
  try {
    const Array array = read_array(bytes);
    labels =
        array.shape.size() == 1 ? labels_of_integers(bytes, array) : labels_of_rows(bytes, array);
  } catch (const StorageError&) {
    throw;
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
  finish(out, "cannot write the labels", file);
  if (labels.names.empty()) return;
  auto json = nlohmann::ordered_json::array();
  for (const std::string& name : labels.names) json.push_back(valid_utf8(name));
  std::ofstream names(label_names_file(file), std::ios::trunc);
  names << json.dump(2) << '\n';
  finish(names, "cannot write the label names", label_names_file(file));
}

}  // namespace ganscale::data
