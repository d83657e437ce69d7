#pragma once

#include "api/json.h"

namespace ganscale::controller {

/// Whether everything that is wanted is there: each field of `want` has its value in `have`, which
/// may hold more, as the server adds defaults and others their annotations. Lists must have the
/// same length.
bool has_all(const Json& have, const Json& want);

}  // namespace ganscale::controller
