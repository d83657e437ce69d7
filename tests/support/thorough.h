#pragma once

#include <cstdlib>
#include <string_view>

namespace ganscale {

/// Returns whether this is `make check-long`, which sets GANSCALE_THOROUGH=1.
inline bool is_thorough() {
  const char* value = std::getenv("GANSCALE_THOROUGH");
  return value != nullptr && std::string_view(value) == "1";
}

/// Returns `all` in `make check-long` and `some` otherwise: how often a test repeats what takes long.
template <typename T>
T thorough(T all, T some) {
  return is_thorough() ? all : some;
}

}  // namespace ganscale
