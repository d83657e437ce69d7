#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace ganscale::wire {

/// Throws std::invalid_argument if one of these members of a JSON object is a number with a
/// fraction: it may be too large for an integer.
template <class Json>
void require_integers(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto member = object.find(key);
    if (member != object.end() && member->is_number_float())
      throw std::invalid_argument(std::string("not an integer: ") + key);
  }
}

}  // namespace ganscale::wire
