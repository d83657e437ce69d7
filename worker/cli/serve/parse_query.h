#pragma once

#include <string>

#include "cli/serve/image_request.h"

namespace ganscale::cli {

/// Parses the query of an address: "seed=1&class=2", with escapes such as %20.
///
/// Throws: std::exception if it has an invalid escape, the character 0, or a parameter without "=".
Query parse_query(const std::string& text);

}  // namespace ganscale::cli
