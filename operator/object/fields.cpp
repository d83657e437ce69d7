#include "object/fields.h"

#include <algorithm>
#include <regex>
#include <utility>

#include "base/error.h"

namespace ganscale::controller {
namespace {

const Json kNothing;
const std::string kNameRule =
    "must be an object name: a-z, 0-9, '-' and '.', starting and ending with a letter or digit: ";
const std::string kLabelRule =
    "must be at most 63 letters, digits, '-', '_' and '.', starting and ending with a letter or "
    "digit";
const std::string kQualifiedNameRule = kLabelRule + ", optionally after a domain and '/': ";
const std::string kQuantityRule = "must be a quantity of at least 0, such as 8, 500m or 64Gi: ";

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Whether a text is one part of a name, between two dots.
bool is_label(const std::string& text) {
  return !text.empty() && is_letter_or_digit(text.front()) && is_letter_or_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return c == '-' || is_letter_or_digit(c); });
}

bool is_object_name(const std::string& text) {
  constexpr std::size_t kLongestBytes = 253;
  std::size_t begin = 0;
  for (auto end = text.find('.'); end != std::string::npos; end = text.find('.', begin)) {
    if (!is_label(text.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return text.size() <= kLongestBytes && is_label(text.substr(begin));
}

// std::regex recurses with the text: lengths come first.

bool is_label_value(const std::string& text) {
  constexpr std::size_t kLongestBytes = 63;
  static const std::regex kPattern("([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?");
  return text.size() <= kLongestBytes && std::regex_match(text, kPattern);
}

bool is_qualified_name(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string name = slash == std::string::npos ? text : text.substr(slash + 1);
  const bool has_good_domain = slash == std::string::npos || is_object_name(text.substr(0, slash));
  return has_good_domain && !name.empty() && is_label_value(name);
}

/// As Kubernetes reads them, without a sign.
bool is_quantity(const std::string& text) {
  constexpr std::size_t kLongestBytes = 64;
  static const std::regex kPattern(
      R"(([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?)");
  return text.size() <= kLongestBytes && std::regex_match(text, kPattern);
}

}  // namespace

std::string qualified_name_fault(const std::string& name) {
  return is_qualified_name(name) ? "" : kQualifiedNameRule + shown(name);
}

Fields::Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object_.is_object() && !object_.is_null()) {
    throw ConfigError(path_ + ": expected an object: " + shown(object_));
  }
}

const Json* Fields::find(const std::string& key) {
  asked_for_.push_back(key);
  if (object_.is_null()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void Fields::wrong(const std::string& key, const char* expected, const Json& value) const {
  fail(key, std::string("expected ") + expected + ": " + shown(value));
}

void Fields::fail(const std::string& key, const std::string& why) const {
  throw ConfigError((path_.empty() ? key : path_ + "." + key) + ": " + why);
}

std::string Fields::text(const std::string& key, const std::string& fallback) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  // Quantities such as `cpu: 8` may be written as numbers.
  if (value->is_number()) return value->dump();
  if (!value->is_string()) wrong(key, "a text", *value);
  return value->get<std::string>();
}

std::int64_t Fields::whole(const std::string& key, std::int64_t fallback) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_number_integer()) wrong(key, "an integer", *value);
  return value->get<std::int64_t>();
}

int Fields::whole(const std::string& key, int fallback, int least, int most) {
  const std::int64_t value = whole(key, fallback);
  require(value >= least && value <= most, key,
          "must be " + std::to_string(least) + " to " + std::to_string(most) + ": " +
              std::to_string(value));
  return static_cast<int>(value);
}

double Fields::positive(const std::string& key, double fallback) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_number() || value->get<double>() < 0) wrong(key, "a number of at least 0", *value);
  return value->get<double>();
}

std::string Fields::name(const std::string& key) {
  std::string value = text(key);
  require(value.empty() || is_object_name(value), key, kNameRule + shown(value));
  return value;
}

std::vector<std::string> Fields::names(const std::string& key) {
  std::vector<std::string> values = list(key);
  for (const std::string& value : values) {
    require(is_object_name(value), key, kNameRule + shown(value));
  }
  return values;
}

void Fields::require_qualified(const std::string& key, const std::string& name) const {
  const std::string fault = qualified_name_fault(name);
  require(fault.empty(), key, fault);
}

std::string Fields::qualified_name(const std::string& key, const std::string& fallback) {
  std::string value = text(key, fallback);
  require_qualified(key, value);
  return value;
}

std::string Fields::quantity(const std::string& key) {
  std::string value = text(key);
  require(value.empty() || is_quantity(value), key, kQuantityRule + shown(value));
  return value;
}

bool Fields::flag(const std::string& key, bool fallback) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) wrong(key, "true or false", *value);
  return value->get<bool>();
}

Fields::Words Fields::words(const std::string& key) {
  Fields inner = object(key);
  Words words;
  if (inner.object_.is_null()) return words;
  for (const auto& item : inner.object_.items()) words[item.key()] = inner.text(item.key());
  return words;
}

Fields::Words Fields::labels(const std::string& key) {
  Words labels = words(key);
  for (const auto& [name, value] : labels) {
    require_qualified(key, name);
    require(is_label_value(value), key + "." + name, kLabelRule + ": " + shown(value));
  }
  return labels;
}

Fields::Words Fields::quantities(const std::string& key) {
  Words amounts = words(key);
  for (const auto& [name, amount] : amounts) {
    require_qualified(key, name);
    require(is_quantity(amount), key + "." + name, kQuantityRule + shown(amount));
  }
  return amounts;
}

std::vector<std::string> Fields::list(const std::string& key) {
  const Json* value = find(key);
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  if (!value->is_array()) wrong(key, "a list of strings", *value);
  for (const auto& item : *value) {
    if (!item.is_string()) wrong(key, "a list of strings", *value);
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

Json Fields::any(const std::string& key) {
  const Json* value = find(key);
  return value == nullptr ? Json() : *value;
}

Fields Fields::object(const std::string& key) {
  const Json* value = find(key);
  return {value == nullptr ? kNothing : *value, path_.empty() ? key : path_ + "." + key};
}

bool Fields::has(const std::string& key) const {
  return object_.is_object() && object_.contains(key) && !object_.at(key).is_null();
}

void Fields::refuse_unknown(const std::string& why) const {
  if (object_.is_null()) return;
  for (const auto& item : object_.items()) {
    const bool known = std::ranges::find(asked_for_, item.key()) != asked_for_.end();
    if (!known) fail(item.key(), why);
  }
}

}  // namespace ganscale::controller
