#pragma once

#include <nlohmann/json.hpp>

namespace ganscale::controller {

/// A JSON value whose objects are ordered by key: the same content gives the same text.
using Json = nlohmann::json;

}  // namespace ganscale::controller
