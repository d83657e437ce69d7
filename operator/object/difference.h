#pragma once

#include <optional>
#include <string>

#include "object/json.h"

namespace ganscale::controller {

/// Returns the path of the first field of `want` that is missing or different in `have`, such as
/// "spec.ingress[0].from"; nullopt if there is none. `have` may hold additional fields, since the
/// server adds defaults and other clients add annotations, but lists must have the same length.
std::optional<std::string> first_difference(const Json& have, const Json& want);

}  // namespace ganscale::controller
