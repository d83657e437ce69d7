#pragma once

#include <string>

namespace ganscale::controller {

/// Returns 16 hexadecimal digits of the SHA-256 of a text, such as a spec as JSON: 64 bits, enough
/// to distinguish the edits of one user.
std::string spec_hash(const std::string& text);

}  // namespace ganscale::controller
