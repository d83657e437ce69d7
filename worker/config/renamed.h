#pragma once

#include <optional>
#include <string_view>

#include "config/node.h"

namespace ganscale::config {

/// Returns the new name of a key that was renamed; nothing for any other. The table is in the
/// source file.
///
/// path: dotted, as it was: "model.narrow_clamp".
std::optional<std::string_view> new_name_of_key(std::string_view path);

/// Returns the new name of a value of a key that was renamed; nothing for any other.
std::optional<std::string_view> new_name_of_value(std::string_view path, std::string_view value);

/// Returns a configuration that an older version wrote under the names of today.
Node with_new_names(Node root);

}  // namespace ganscale::config
