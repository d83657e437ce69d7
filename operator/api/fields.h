#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/json.h"

namespace ganscale::controller {

/// Reads the fields of a JSON object by name, with defaults. A field of the wrong type is a
/// ConfigError that names its whole path: "spec.nodes: expected a whole number: many".
class Fields {
 public:
  using Words = std::map<std::string, std::string>;

  /// Borrows `object`, which is an object or null (as good as an empty one).
  Fields(const Json& object, std::string path);

  std::string text(const std::string& key, const std::string& fallback = "");
  std::int64_t whole(const std::string& key, std::int64_t fallback);
  bool flag(const std::string& key, bool fallback);
  /// A map of texts.
  Words words(const std::string& key);
  /// A list of texts.
  std::vector<std::string> list(const std::string& key);
  /// Whatever stands there; null if nothing does.
  Json any(const std::string& key);
  /// The object under a key, or an empty one.
  Fields object(const std::string& key);

  bool has(const std::string& key) const;
  /// Throws for a field that was not asked for.
  void refuse_unknown() const;
  /// Throws ConfigError for a value of the right type that can't be.
  [[noreturn]] void fail(const std::string& key, const std::string& why) const;
  void require(bool ok, const std::string& key, const std::string& why) const {
    if (!ok) fail(key, why);
  }

 private:
  const Json* find(const std::string& key);
  [[noreturn]] void wrong(const std::string& key, const char* expected, const Json& value) const;

  const Json& object_;
  std::string path_;
  std::vector<std::string> asked_for_;
};

}  // namespace ganscale::controller
