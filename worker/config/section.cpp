#include "config/section.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ranges>

#include "base/error.h"
#include "base/joined.h"
#include "base/nearest.h"
#include "config/renamed.h"
#include "config/units.h"

namespace ganscale::config {
namespace {

std::string suggestion(const std::string& key, const std::vector<std::string>& known) {
  if (known.empty()) return "";
  if (const auto other = ganscale::nearest(key, known)) return " (did you mean " + *other + "?)";
  return " (known: " + joined(known) + ")";
}

std::string renamed_to(std::optional<std::string_view> name) {
  return name ? " (renamed to " + std::string(*name) + ")" : "";
}

std::string in_quotes(const std::string& text) {
  const bool needs_quotes = text.empty() || is_boolean_elsewhere(text);
  YAML::Emitter out;
  out << (needs_quotes ? YAML::DoubleQuoted : YAML::Auto) << text;
  return out.c_str();
}

std::string in_brackets(const std::vector<std::string>& items) { return "[" + joined(items) + "]"; }

std::string write(const std::string& value) { return in_quotes(value); }
std::string write(bool value) { return value ? "true" : "false"; }
std::string write(std::int64_t value) { return std::to_string(value); }
std::string write(double value) { return format_number(value); }
std::string write(const Resolution& value) {
  if (value.is_square()) return write(std::int64_t{value.height});
  return in_brackets({write(std::int64_t{value.height}), write(std::int64_t{value.width})});
}

/// Returns "  # [auto, cpu, gpu] what it is", for the end of a line; empty without documentation.
std::string comment_of(const Entry& entry) {
  const std::string choices = entry.choices.size() > 1 ? in_brackets(entry.choices) : "";
  std::string text = choices;
  if (!entry.documentation.empty()) text += (choices.empty() ? "" : " ") + entry.documentation;
  return text.empty() ? text : "  # " + text;
}

/// Returns the first value at or within a node that is not a preset's; null: there is none.
const Node* first_written(const Node& node) {
  const auto* map = node.map();
  if (map == nullptr || map->empty()) return node.is_default ? nullptr : &node;
  for (const auto& [key, value] : *map) {
    if (const Node* written = first_written(value)) return written;
  }
  return nullptr;
}

std::optional<std::string> parse_text(const std::string& text) { return text; }

}  // namespace

std::string_view form_of(std::string_view type) {
  if (type == "bool") return "true or false";
  if (type == "integer") return "an integer";
  if (type == "number") return "a number";
  if (type == "bytes") return "a number of bytes such as 64KiB or 4GiB";
  if (type == "duration") return "a time such as 90s, 15m or 2h";
  if (type == "resolution") return "a number of pixels, or [height, width]";
  return "a string";
}

Section::Section(Node root)
    : Section(std::move(root), "", std::make_shared<std::vector<Entry>>()) {}

Section Section::describing(Node root) {
  Section section(std::move(root));
  section.describing_ = true;
  return section;
}

Section::Section(Node node, std::string path, std::shared_ptr<std::vector<Entry>> entries)
    : node_(std::move(node)), path_(std::move(path)), entries_(std::move(entries)) {
  check(node_.map() != nullptr, "a section is a map");
}

const Node* Section::find(std::string_view key) const {
  for (const auto& [name, node] : *node_.map()) {
    if (name == key) return &node;
  }
  return nullptr;
}

/// Returns the node of a dotted key, or the innermost enclosing section that exists.
const Node& Section::nearest(std::string_view dotted_key) const {
  const Node* node = &node_;
  for (const auto word : std::views::split(dotted_key, '.')) {
    if (node->map() == nullptr) break;
    const auto item = std::ranges::find(*node->map(), std::string_view(word.begin(), word.end()),
                                        &Node::Entry::key);
    if (item == node->map()->end()) break;
    node = &item->value;
  }
  return *node;
}

std::string Section::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void Section::fail_at(const Node& node, std::string_view key, const std::string& why) const {
  throw ConfigError(node.location.text() + ": " + path_of(key) + ": " + why);
}

void Section::fail(std::string_view key, const std::string& why) const {
  fail_at(nearest(key), key, why);
}

const std::string& Section::scalar(const Node& node, std::string_view key,
                                   std::string_view expected) const {
  if (node.scalar() != nullptr) return *node.scalar();
  // A key without a value is an empty map.
  const bool is_blank = node.map() != nullptr && node.map()->empty();
  const std::string hint =
      is_blank && expected == form_of("string")
          ? "; an empty one is \"\", in a shell --set '" + path_of(key) + "=\"\"'"
          : "";
  fail_at(node, key, "expected " + std::string(expected) + hint);
}

void Section::record(std::string_view key, std::string type, std::string value,
                     std::string_view documentation, std::vector<std::string> choices) {
  read_keys_.emplace_back(key);
  entries_->push_back({path_of(key), std::move(type), std::move(value), std::string(documentation),
                       std::move(choices)});
}

/// Adds to the limits of a key, if it was read and this section describes it.
void Section::describe(std::string_view key, const Limits& limits) const {
  if (!describing_) return;
  const auto read = std::views::reverse(*entries_);
  const auto entry = std::ranges::find(read, path_of(key), &Entry::path);
  if (entry == read.end()) return;
  entry->limits.bounds = within_both(entry->limits.bounds, limits.bounds);
  if (limits.pattern.empty()) return;
  entry->limits.pattern = limits.pattern;
  entry->limits.form = limits.form;
}

template <class T, class Parse>
T Section::get_scalar(std::string_view key, const T& fallback, std::string_view type,
                      std::string_view documentation, Parse parse) {
  T value = fallback;
  if (const Node* node = find(key)) {
    const std::string& text = scalar(*node, key, form_of(type));
    const std::optional<T> parsed = parse(text);
    if (!parsed) fail_at(*node, key, "expected " + std::string(form_of(type)) + ": " + text);
    value = *parsed;
  }
  record(key, std::string(type), write(value), documentation);
  return value;
}

template <class T, class Parse>
std::vector<T> Section::get_list(std::string_view key, const std::vector<T>& fallback,
                                 std::string_view type, std::string_view documentation,
                                 Parse parse) {
  std::vector<T> values = fallback;
  if (const Node* node = find(key)) {
    if (node->list() == nullptr)
      fail_at(*node, key, "expected a list such as [a, b]; [] is an empty one");
    values.clear();
    for (const Node& item : *node->list()) {
      const std::string& text = scalar(item, key, form_of(type));
      const std::optional<T> parsed = parse(text);
      if (!parsed) fail_at(item, key, "expected " + std::string(form_of(type)) + ": " + text);
      values.push_back(*parsed);
    }
  }
  std::vector<std::string> texts;
  for (const T& value : values) texts.push_back(write(value));
  record(key, std::string(type) + "s", in_brackets(texts), documentation);
  return values;
}

std::string Section::get(std::string_view key, const std::string& fallback,
                         std::string_view documentation) {
  return get_scalar(key, fallback, "string", documentation, parse_text);
}

bool Section::get(std::string_view key, bool fallback, std::string_view documentation) {
  return get_scalar(key, fallback, "bool", documentation, parse_bool);
}

std::int64_t Section::get(std::string_view key, std::int64_t fallback,
                          std::string_view documentation) {
  return get_scalar(key, fallback, "integer", documentation, parse_integer);
}

int Section::get(std::string_view key, int fallback, std::string_view documentation) {
  const std::int64_t value = get(key, std::int64_t{fallback}, documentation);
  const bool fits =
      value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  require(fits, key, "out of range: " + std::to_string(value));
  return static_cast<int>(value);
}

double Section::get(std::string_view key, double fallback, std::string_view documentation) {
  return get_scalar(key, fallback, "number", documentation, parse_number);
}

std::vector<double> Section::get(std::string_view key, const std::vector<double>& fallback,
                                 std::string_view documentation) {
  return get_list(key, fallback, "number", documentation, parse_number);
}

std::vector<std::int64_t> Section::get(std::string_view key,
                                       const std::vector<std::int64_t>& fallback,
                                       std::string_view documentation) {
  return get_list(key, fallback, "integer", documentation, parse_integer);
}

std::vector<std::string> Section::get(std::string_view key,
                                      const std::vector<std::string>& fallback,
                                      std::string_view documentation) {
  return get_list(key, fallback, "string", documentation, parse_text);
}

std::string Section::get_choice(std::string_view key, const std::string& fallback,
                                std::vector<std::string> choices, std::string_view documentation) {
  std::string value = fallback;
  if (const Node* node = find(key)) {
    value = scalar(*node, key, "one of " + in_brackets(choices));
    const bool known = std::find(choices.begin(), choices.end(), value) != choices.end();
    if (!known) {
      fail_at(*node, key,
              "expected one of " + in_brackets(choices) + ": " + value +
                  renamed_to(new_name_of_value(path_of(key), value)));
    }
  }
  record(key, "choice", in_quotes(value), documentation, std::move(choices));
  return value;
}

std::int64_t Section::get_bytes(std::string_view key, std::int64_t fallback_bytes,
                                std::string_view documentation) {
  return get_scalar(key, fallback_bytes, "bytes", documentation, parse_bytes);
}

double Section::get_seconds(std::string_view key, double fallback_seconds,
                            std::string_view documentation) {
  return get_scalar(key, fallback_seconds, "duration", documentation, parse_seconds);
}

Resolution Section::get_resolution(std::string_view key, const Resolution& fallback,
                                   std::string_view documentation) {
  const std::string form(form_of("resolution"));
  Resolution value = fallback;
  if (const Node* node = find(key)) {
    const auto side = [&](const Node& item) {
      const std::string& text = scalar(item, key, form);
      const auto pixels = parse_integer(text);
      const bool fits = pixels && *pixels > 0 && *pixels <= std::numeric_limits<int>::max();
      if (!fits) fail_at(item, key, "expected " + form + ": " + text);
      return static_cast<int>(*pixels);
    };
    const auto* list = node->list();
    if (list == nullptr) {
      value = side(*node);
    } else if (list->size() == 2) {
      value = {side(list->front()), side(list->back())};
    } else {
      fail_at(*node, key, "expected " + form);
    }
  }
  record(key, "resolution", write(value), documentation);
  return value;
}

Section Section::section(std::string_view key) {
  read_keys_.emplace_back(key);
  const Node* node = find(key);
  if (node != nullptr && node->map() == nullptr) fail_at(*node, key, "expected a map of keys");
  const Node empty{.value = Node::Map{}, .location = node_.location};
  Section inner(node == nullptr ? empty : *node, path_of(key), entries_);
  inner.describing_ = describing_;
  return inner;
}

std::vector<Section> Section::sections(std::string_view key) {
  read_keys_.emplace_back(key);
  const Node* node = find(key);
  if (node == nullptr) return {};
  if (node->list() == nullptr) fail_at(*node, key, "expected a list of maps");
  std::vector<Section> items;
  for (const Node& item : *node->list()) {
    const std::string name = std::string(key) + "[" + std::to_string(items.size()) + "]";
    if (item.map() == nullptr) fail_at(item, name, "expected a map of keys");
    Section inner(item, path_of(name), entries_);
    inner.describing_ = describing_;
    items.push_back(std::move(inner));
  }
  return items;
}

void Section::reject_unread_keys() const {
  for (const auto& [key, node] : *node_.map()) {
    const bool known = std::find(read_keys_.begin(), read_keys_.end(), key) != read_keys_.end();
    const Node* written = known ? nullptr : first_written(node);
    if (written == nullptr) continue;
    const auto new_name = new_name_of_key(path_of(key));
    throw ConfigError(written->location.text() + ": unknown key: " + path_of(key) +
                      (new_name ? renamed_to(new_name) : suggestion(key, read_keys_)));
  }
}

std::string to_yaml(const std::vector<Entry>& entries, bool comments) {
  std::string text;
  std::vector<std::string> open;  // the current sections
  for (const Entry& entry : entries) {
    std::vector<std::string> path;
    for (std::size_t begin = 0; begin <= entry.path.size();) {
      const std::size_t end = std::min(entry.path.find('.', begin), entry.path.size());
      path.push_back(entry.path.substr(begin, end - begin));
      begin = end + 1;
    }
    const auto split = std::mismatch(open.begin(), open.end(), path.begin(), path.end() - 1);
    open.erase(split.first, open.end());
    while (open.size() + 1 < path.size()) {
      text += std::string(2 * open.size(), ' ') + path[open.size()] + ":\n";
      open.push_back(path[open.size()]);
    }
    text += std::string(2 * open.size(), ' ') + path.back() + ": " + entry.value;
    if (comments) text += comment_of(entry);
    text += "\n";
  }
  return text;
}

}  // namespace ganscale::config
