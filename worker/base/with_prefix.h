#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ganscale {

/// Returns the entries whose key begins with `prefix`, under the rest of it.
template <class Value>
std::map<std::string, Value> with_prefix(const std::map<std::string, Value>& all,
                                         std::string_view prefix) {
  std::map<std::string, Value> some;
  for (const auto& [key, value] : all) {
    if (key.starts_with(prefix)) some.emplace(key.substr(prefix.size()), value);
  }
  return some;
}

}  // namespace ganscale
