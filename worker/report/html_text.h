#pragma once

#include <string>
#include <string_view>

namespace ganscale::report {

/// Returns text that stands for itself in HTML, also inside a quoted attribute.
std::string escape_html(std::string_view text);

/// Returns the bytes as an address that holds them: "data:image/png;base64,...".
std::string data_uri(std::string_view media_type, std::string_view bytes);

/// Returns an element around `content`, which is HTML already: <tag class="name">content</tag>.
std::string element(std::string_view tag, std::string_view class_name, std::string_view content);

}  // namespace ganscale::report
