#pragma once

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

}  // namespace ganscale
