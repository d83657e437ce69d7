#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "object/json.h"

namespace ganscale::controller {

/// Returns the string at a JSON pointer such as "/status/phase"; `fallback` if there is no string.
inline std::string text_at(const Json& object, const char* pointer,
                           const std::string& fallback = "") {
  const Json::json_pointer path(pointer);
  if (!object.contains(path)) return fallback;
  const Json& value = object.at(path);
  return value.is_string() ? value.get<std::string>() : fallback;
}

/// Returns the list at a JSON pointer; an empty list if there is no list.
inline Json list_at(const Json& object, const char* pointer) {
  const Json::json_pointer path(pointer);
  if (!object.contains(path)) return Json::array();
  const Json& value = object.at(path);
  return value.is_array() ? value : Json::array();
}

/// Returns the integer at a JSON pointer; 0 if there is no integer.
inline std::int64_t whole_at(const Json& object, const char* pointer) {
  const Json::json_pointer path(pointer);
  if (!object.contains(path)) return 0;
  const Json& value = object.at(path);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

/// Returns the number at a JSON pointer; nullopt if there is no number.
inline std::optional<double> number_at(const Json& object, const char* pointer) {
  const Json::json_pointer path(pointer);
  if (!object.contains(path)) return std::nullopt;
  const Json& value = object.at(path);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// Returns an annotation of an object; an empty text if it has none of that name.
inline std::string annotation_of(const Json& object, const std::string& name) {
  const Json::json_pointer path = Json::json_pointer("/metadata/annotations") / name;
  return object.contains(path) && object.at(path).is_string() ? object.at(path).get<std::string>()
                                                              : "";
}

}  // namespace ganscale::controller
