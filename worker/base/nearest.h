#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ganscale {

/// Returns the known name that is close enough to this one for a slip of the keyboard, else the
/// only one that is the start of this one or begins with it, or nothing.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known);

}  // namespace ganscale
