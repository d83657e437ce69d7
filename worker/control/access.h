#pragma once

#include <string>
#include <string_view>

namespace ganscale::control {

/// What the control port requires of a request.
struct Access {
  bool needs_token = false;
  std::string token;  ///< if needed; empty: it can't be read now, and all requests are refused
};

/// Reads the token file. An empty path means that no token is needed. The file is read every time,
/// so a mounted Secret can be rotated. Strips whitespace around the token.
Access read_access(const std::string& token_file);

/// Returns whether `authorization` is "Bearer <token>", in constant time.
bool bears_token(std::string_view authorization, std::string_view token);

/// Returns whether an address is a loopback address: 127.0.0.0/8 (also mapped into IPv6) or ::1.
bool is_loopback(std::string_view address);

}  // namespace ganscale::control
