#include "data/formats/sample_labels.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/utf8.h"
#include "data/formats/label_file.h"

namespace ganscale::data {
namespace {

constexpr std::string_view kWhitespace = " \t\r\n";

[[noreturn]] void refuse_label(const std::string& text) {
  constexpr std::size_t kLongestShown = 40;
  throw DataError("label is not an integer from 0 on (" +
                  valid_utf8(text.substr(0, kLongestShown)) + ")");
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kWhitespace), text.size());
  return text.substr(begin, text.find_last_not_of(kWhitespace) + 1 - begin);
}

}  // namespace

bool may_hold_label(std::string_view name) {
  return name.ends_with(kClassFile) || name.ends_with(kJsonFile);
}

std::string_view sample_name(std::string_view path) {
  const std::size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  return path.substr(0, path.find('.', name));
}

std::int64_t label_of_class_file(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view number = trimmed(text);
  std::int64_t label = -1;
  const char* const number_end = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), number_end, label);
  if (error != std::errc() || end != number_end || label < 0 || label >= kMostLabels)
    refuse_label(std::string(text));
  return label;
}

std::optional<std::int64_t> label_of_json(const nlohmann::json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  const auto label = value.get<std::int64_t>();
  return label >= 0 && label < kMostLabels ? std::optional(label) : std::nullopt;
}

std::optional<std::int64_t> label_of_json_file(std::span<const std::uint8_t> bytes) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(bytes.begin(), bytes.end());
  } catch (const nlohmann::json::exception& error) {
    throw DataError(std::string("JSON is damaged (") + error.what() + ")");
  }
  if (!json.is_object() || !json.contains("label")) return std::nullopt;
  const auto& value = json["label"];
  const auto label = label_of_json(value);
  // Writing a list or an object recurses with its levels.
  if (!label) refuse_label(value.is_structured() ? value.type_name() : value.dump());
  return label;
}

}  // namespace ganscale::data
