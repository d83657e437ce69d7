#pragma once

#include <cstdio>
#include <string>

namespace ganscale::planning {

/// Returns at most 255 characters of text by a pattern of printf.
template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

}  // namespace ganscale::planning
