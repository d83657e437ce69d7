#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace ganscale {

/// The names of an enumeration's values, each once.
template <class Enum, std::size_t count>
using EnumNames = std::array<std::pair<Enum, std::string_view>, count>;

/// Returns the name of a value; empty if the table has none.
template <class Enum, std::size_t count>
constexpr std::string_view name_in(const EnumNames<Enum, count>& names, Enum value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  return {};
}

/// Returns the value of a name; nothing if the table has none.
template <class Enum, std::size_t count>
constexpr std::optional<Enum> value_in(const EnumNames<Enum, count>& names, std::string_view name) {
  for (const auto& [value, known] : names) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace ganscale
