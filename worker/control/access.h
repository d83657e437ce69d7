#pragma once

#include <string>
#include <string_view>

namespace ganscale::control {

/// What the control port demands of a request.
struct Access {
  bool needs_token = false;
  std::string token;  ///< where one is needed; empty: it can't be read now, nobody is let in
};

/// Returns the access that a token file gives; none needed for an empty path. The file is read anew
/// each time, so a mounted Secret may be rotated. Blanks around the token do not count.
Access read_access(const std::string& token_file);

/// Tells whether `authorization` is "Bearer <token>", in a time that depends on no byte of the
/// token.
bool bears_token(std::string_view authorization, std::string_view token);

/// Tells whether an address is of this machine: 127.0.0.0/8 or ::1, also mapped into IPv6.
bool is_loopback(std::string_view address);

}  // namespace ganscale::control
