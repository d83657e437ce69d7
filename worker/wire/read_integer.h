#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ganscale::wire {

/// Reads an integer field, if there is one. A number with a fraction is refused: it may be too large
/// for an integer.
///
/// message: what the JSON is, for the error.
/// Throws: std::invalid_argument for a value that is no integer.
template <class Integer>
  requires std::is_integral_v<Integer>
void read_integer(const nlohmann::ordered_json& json, const char* key, const char* message,
                  Integer& value) {
  const auto field = json.find(key);
  if (field == json.end()) return;
  if (!field->is_number_integer())
    throw std::invalid_argument(std::string(message) + ": " + key + ": expected an integer");
  value = field->get<Integer>();
}

}  // namespace ganscale::wire
