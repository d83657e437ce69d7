#pragma once

#include <string>
#include <string_view>

namespace ganscale::report {

/// Returns the bytes as a data URI: "data:image/png;base64,...".
std::string data_uri(std::string_view media_type, std::string_view bytes);

}  // namespace ganscale::report
