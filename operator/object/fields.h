#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "object/json.h"

namespace ganscale::controller {

/// Returns what is wrong with the key of a label, or with the name of a resource, which may have a
/// domain: nvidia.com/gpu. Empty if nothing is.
std::string qualified_name_fault(const std::string& name);

/// Reads the fields of a JSON object by name, with defaults. A field of the wrong type is a
/// ConfigError that names its whole path: "spec.nodes: expected a whole number: many".
class Fields {
 public:
  using Words = std::map<std::string, std::string>;

  /// Borrows `object`, which is an object or null (treated as an empty object).
  Fields(const Json& object, std::string path);

  std::string text(const std::string& key, const std::string& fallback = "");
  std::int64_t whole(const std::string& key, std::int64_t fallback);
  /// An integer between `least` and `most`, both inclusive.
  int whole(const std::string& key, int fallback, int least, int most);
  /// A number of at least 0.
  double positive(const std::string& key, double fallback);
  /// The name of an object: a DNS subdomain (RFC 1123); empty if there is none.
  std::string name(const std::string& key);
  bool flag(const std::string& key, bool fallback);
  /// The name of a resource or a label, which may have a domain: nvidia.com/gpu.
  std::string qualified_name(const std::string& key, const std::string& fallback);
  /// A quantity of at least 0, such as 8, 1.5, 500m or 64Gi; empty if there is none.
  std::string quantity(const std::string& key);
  /// A map of strings.
  Words words(const std::string& key);
  /// A map of labels.
  Words labels(const std::string& key);
  /// A map of quantities of resources.
  Words quantities(const std::string& key);
  /// A list of strings.
  std::vector<std::string> list(const std::string& key);
  /// A list of names of objects.
  std::vector<std::string> names(const std::string& key);
  /// The value of any type; null if there is none.
  Json any(const std::string& key);
  /// The object at a key; an empty one if there is none.
  Fields object(const std::string& key);

  bool has(const std::string& key) const;
  /// Throws ConfigError, which says why, for a field that has not been read.
  void refuse_unknown(const std::string& why = "unknown field") const;
  /// Throws ConfigError for an invalid value of the right type.
  [[noreturn]] void fail(const std::string& key, const std::string& why) const;
  void require(bool ok, const std::string& key, const std::string& why) const {
    if (!ok) fail(key, why);
  }

 private:
  const Json* find(const std::string& key);
  [[noreturn]] void wrong(const std::string& key, const char* expected, const Json& value) const;
  void require_qualified(const std::string& key, const std::string& name) const;

  const Json& object_;
  std::string path_;
  std::vector<std::string> asked_for_;
};

}  // namespace ganscale::controller
