#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "config/units.h"

namespace ganscale::parity {

/// The hyper-parameters of a fixture.
class Settings {
 public:
  explicit Settings(const std::map<std::string, std::string>& metadata) : metadata_(metadata) {}

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) throw DataError("the fixture's metadata lacks a key: " + key);
    return found->second;
  }
  double number(const std::string& key) const { return valid(key, config::parse_number); }
  int integer(const std::string& key) const {
    return static_cast<int>(valid(key, config::parse_integer));
  }
  bool is_none(const std::string& key) const { return text(key) == "None"; }

 private:
  template <class Value>
  Value valid(const std::string& key, std::optional<Value> (*parse)(const std::string&)) const {
    const auto value = parse(text(key));
    if (!value) throw DataError("no number in the fixture's metadata: " + key + ": " + text(key));
    return *value;
  }

  const std::map<std::string, std::string>& metadata_;
};

}  // namespace ganscale::parity
