#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_names.h"
#include "base/resolution.h"
#include "config/bounds.h"
#include "config/node.h"

namespace ganscale::config {

/// What limits the values of a key, whatever other keys say.
struct Limits {
  Bounds bounds = {};
  std::string pattern = {};  ///< that every text matches, or every item of a list; empty: any
  std::string form = {};     ///< of such a text, in words: "a metric such as fid50k"
};

/// A key that a parser has read. The resolved configuration and the schema consist of these.
struct Entry {
  std::string path;  ///< dotted: data.prefetch.memory_limit
  std::string
      type;  ///< string, bool, integer, number, integers, numbers, choice, bytes, duration, resolution
  std::string value;          ///< as YAML
  std::string documentation;  ///< one line
  std::vector<std::string> choices;
  Limits limits = {};
};

/// Returns what a value of a type looks like: "a number of bytes such as 64KiB or 4GiB".
std::string_view form_of(std::string_view type);

/// A map of the configuration, read strictly: a parser reads each key by name, with its default and
/// one line of documentation. A key that no parser reads is an error with file, line and the most
/// similar known key.
///
/// Each folder owns its config struct and the parser that fills it:
///
///   DataConfig parse_data(config::Section in) {
///     DataConfig c;  // holds the defaults
///     c.path = in.get("path", c.path, "folder or file of the dataset");
///     in.reject_unread_keys();
///     return c;
///   }
///
/// All errors are ConfigError: "run.yaml:7: data.reader_threads: expected an integer: many".
class Section {
 public:
  explicit Section(Node root);
  /// Returns a section that only collects keys: require() accepts any value.
  static Section describing(Node root);

  std::string get(std::string_view key, const std::string& fallback,
                  std::string_view documentation);
  bool get(std::string_view key, bool fallback, std::string_view documentation);
  std::int64_t get(std::string_view key, std::int64_t fallback, std::string_view documentation);
  int get(std::string_view key, int fallback, std::string_view documentation);
  double get(std::string_view key, double fallback, std::string_view documentation);
  std::vector<double> get(std::string_view key, const std::vector<double>& fallback,
                          std::string_view documentation);
  std::vector<std::int64_t> get(std::string_view key, const std::vector<std::int64_t>& fallback,
                                std::string_view documentation);
  std::vector<std::string> get(std::string_view key, const std::vector<std::string>& fallback,
                               std::string_view documentation);
  /// Keeps a string literal from converting to bool.
  std::string get(std::string_view key, const char* fallback, std::string_view documentation) {
    return get(key, std::string(fallback), documentation);
  }

  /// Reads one of several fixed values.
  std::string get_choice(std::string_view key, const std::string& fallback,
                         std::vector<std::string> choices, std::string_view documentation);
  /// Reads one of the values of an enumeration by its name.
  template <class Enum, std::size_t count>
  Enum get_choice(std::string_view key, Enum fallback, const EnumNames<Enum, count>& names,
                  std::string_view documentation) {
    std::vector<std::string> choices;
    for (const auto& [value, name] : names) choices.emplace_back(name);
    const std::string chosen =
        get_choice(key, std::string(name_in(names, fallback)), std::move(choices), documentation);
    return value_in(names, chosen).value_or(fallback);
  }
  /// Reads a number of bytes: 4096, 64KiB, 25MB, 4GiB.
  std::int64_t get_bytes(std::string_view key, std::int64_t fallback_bytes,
                         std::string_view documentation);
  /// Reads a duration in seconds: 90, 90s, 15m, 2h.
  double get_seconds(std::string_view key, double fallback_seconds, std::string_view documentation);

  /// Reads the resolution of images: the side of a square, or [height, width].
  Resolution get_resolution(std::string_view key, const Resolution& fallback,
                            std::string_view documentation);

  /// Returns the map under `key`; an empty one if it is absent.
  Section section(std::string_view key);
  /// Returns the maps of the list under `key`, named key[0], key[1], ...; none if it is absent.
  std::vector<Section> sections(std::string_view key);

  /// Returns where the value of a dotted key was written; for a default, where the innermost
  /// enclosing section was.
  const Location& location(std::string_view dotted_key) const {
    return nearest(dotted_key).location;
  }

  /// Throws if this map has a key that was not read, other than one of a preset.
  void reject_unread_keys() const;

  /// Throws ConfigError for an invalid value of the right type. A dotted key names a key of a
  /// nested section: "training.batch".
  [[noreturn]] void fail(std::string_view key, const std::string& why) const;
  /// Calls fail() unless `ok`.
  void require(bool ok, std::string_view key, const std::string& why) const {
    if (!ok && !describing_) fail(key, why);
  }
  /// Calls fail() unless the number of a key is within bounds that hold whatever other keys say:
  /// the schema has them, too.
  template <class Number>
  void require(Number number, const Bounds& bounds, std::string_view key,
               const std::string& why) const {
    describe(key, {.bounds = bounds});
    require(bounds.hold(static_cast<double>(number)), key, why);
  }
  /// Adds to the schema a pattern that each text of a key matches, or each item of its list. The
  /// parser refuses others itself. form: in words.
  void describe_texts(std::string_view key, std::string pattern, std::string form) const {
    describe(key, {.pattern = std::move(pattern), .form = std::move(form)});
  }

  /// Returns all keys read so far, of the whole configuration, in order.
  const std::vector<Entry>& entries() const { return *entries_; }

 private:
  Section(Node node, std::string path, std::shared_ptr<std::vector<Entry>> entries);

  void describe(std::string_view key, const Limits& limits) const;
  const Node* find(std::string_view key) const;
  const Node& nearest(std::string_view dotted_key) const;
  std::string path_of(std::string_view key) const;
  const std::string& scalar(const Node& node, std::string_view key,
                            std::string_view expected) const;
  [[noreturn]] void fail_at(const Node& node, std::string_view key, const std::string& why) const;
  void record(std::string_view key, std::string type, std::string value,
              std::string_view documentation, std::vector<std::string> choices = {});
  template <class T, class Parse>
  T get_scalar(std::string_view key, const T& fallback, std::string_view type,
               std::string_view documentation, Parse parse);
  template <class T, class Parse>
  std::vector<T> get_list(std::string_view key, const std::vector<T>& fallback,
                          std::string_view type, std::string_view documentation, Parse parse);

  Node node_;
  std::string path_;
  std::vector<std::string> read_keys_;
  std::shared_ptr<std::vector<Entry>> entries_;
  bool describing_ = false;
};

/// Returns the resolved configuration as YAML; with `comments`, each key with its documentation.
std::string to_yaml(const std::vector<Entry>& entries, bool comments);

}  // namespace ganscale::config
