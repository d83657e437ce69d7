#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ganscale {

/// Returns strings one after the other, with a separator between them: a list within a message.
template <class Strings>
std::string joined(Strings&& strings, std::string_view separator = ", ") {
  std::string text;
  for (const auto& string : strings) text.append(text.empty() ? "" : separator).append(string);
  return text;
}

/// Returns "1 node" or "2 nodes": a count with its noun, in the plural unless it is 1.
inline std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

}  // namespace ganscale
