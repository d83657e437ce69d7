#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ganscale {

/// Returns the entries whose keys start with `prefix`, with the prefix removed.
template <class Value>
std::map<std::string, Value> with_prefix(const std::map<std::string, Value>& all,
                                         std::string_view prefix) {
  std::map<std::string, Value> some;
  for (auto place = all.lower_bound(std::string(prefix));
       place != all.end() && place->first.starts_with(prefix); ++place) {
    some.emplace(place->first.substr(prefix.size()), place->second);
  }
  return some;
}

}  // namespace ganscale
