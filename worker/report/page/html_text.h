#pragma once

#include <string>
#include <string_view>

namespace ganscale::report {

/// Escapes text for HTML, including quoted attributes.
std::string escape_html(std::string_view text);

/// Returns the bytes as a data URI: "data:image/png;base64,...".
std::string data_uri(std::string_view media_type, std::string_view bytes);

/// Returns an element with the HTML `content`: <tag class="name">content</tag>.
std::string element(std::string_view tag, std::string_view class_name, std::string_view content);

}  // namespace ganscale::report
