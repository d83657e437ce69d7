#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace ganscale::controller {

/// The values of an enumeration and their names in objects: one table, for reading and writing.
template <class Enum, std::size_t count>
struct Names {
  std::array<std::pair<Enum, const char*>, count> entries;

  /// Returns the name of a value.
  constexpr const char* of(Enum value) const {
    for (const auto& [known, name] : entries) {
      if (known == value) return name;
    }
    return "";
  }
  /// Returns the value of a name; nullopt for a name that is in no entry.
  constexpr std::optional<Enum> value(std::string_view name) const {
    for (const auto& [value, known] : entries) {
      if (name == known) return value;
    }
    return std::nullopt;
  }
};

}  // namespace ganscale::controller
