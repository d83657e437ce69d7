#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

/// Integers in JSON. A number with a fraction is refused: it may be too large for an integer.
namespace ganscale::wire {

/// Returns whether a JSON value is an integer in the range of this type.
template <class Integer, class Json>
  requires std::is_integral_v<Integer>
bool is_integer(const Json& value) {
  if (!value.is_number_integer()) return false;
  return value.is_number_unsigned() ? std::in_range<Integer>(value.template get<std::uint64_t>())
                                    : std::in_range<Integer>(value.template get<std::int64_t>());
}

/// Reads an integer field, if there is one.
///
/// message: what the JSON is, for the error.
/// Throws: std::invalid_argument for a value that is no integer, or does not fit.
template <class Integer>
  requires std::is_integral_v<Integer>
void read_integer(const nlohmann::ordered_json& json, const char* key, const char* message,
                  Integer& value) {
  const auto field = json.find(key);
  if (field == json.end()) return;
  if (!field->is_number_integer())
    throw std::invalid_argument(std::string(message) + ": " + key + ": expected an integer");
  if (!is_integer<Integer>(*field)) {
    throw std::invalid_argument(std::string(message) + ": " + key + ": " + field->dump() +
                                " is out of range");
  }
  value = field->template get<Integer>();
}

/// Throws std::invalid_argument if one of these members of an object is a number that is not an
/// integer of this type: it has a fraction, or is out of range.
template <class Integer, class Json>
  requires std::is_integral_v<Integer>
void require_integers(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto member = object.find(key);
    if (member == object.end() || !member->is_number() || is_integer<Integer>(*member)) continue;
    const char* problem = member->is_number_float() ? "not an integer: " : "out of range: ";
    throw std::invalid_argument(std::string(problem) + key);
  }
}

}  // namespace ganscale::wire
