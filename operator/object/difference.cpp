#include "object/difference.h"

namespace ganscale::controller {
namespace {

using Path = std::optional<std::string>;

Path difference_at(const Json& have, const Json& want, const std::string& path);

Path in_fields(const Json& have, const Json& want, const std::string& path) {
  if (!have.is_object()) {
    const bool agrees = want.empty() && have.is_null();
    return agrees ? Path() : path;
  }
  for (const auto& [key, value] : want.items()) {
    const std::string inner = path.empty() ? key : path + "." + key;
    const auto found = have.find(key);
    if (found != have.end()) {
      if (const Path difference = difference_at(*found, value, inner)) return difference;
    } else if (!value.is_structured() || !value.empty()) {  // the server drops empty maps and lists
      return inner;
    }
  }
  return std::nullopt;
}

Path in_items(const Json& have, const Json& want, const std::string& path) {
  if (!have.is_array() || have.size() != want.size()) return path;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const std::string inner = path + "[" + std::to_string(i) + "]";
    if (const Path difference = difference_at(have[i], want[i], inner)) return difference;
  }
  return std::nullopt;
}

Path difference_at(const Json& have, const Json& want, const std::string& path) {
  if (want.is_object()) return in_fields(have, want, path);
  if (want.is_array()) return in_items(have, want, path);
  return have == want ? Path() : path;
}

}  // namespace

std::optional<std::string> first_difference(const Json& have, const Json& want) {
  return difference_at(have, want, "");
}

}  // namespace ganscale::controller
