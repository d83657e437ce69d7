#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ganscale::markup {

/// Replaces the characters that mean something in HTML, SVG and XML, also within attributes.
std::string escaped(std::string_view text);

/// Attributes of an element, in their order.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;

/// Returns <name key="value" ...>content</name>. Values are escaped, the content is not.
std::string element(std::string_view name, const Attributes& attributes,
                    std::string_view content = "");

/// Returns <name key="value" .../>. Values are escaped.
std::string empty_element(std::string_view name, const Attributes& attributes);

}  // namespace ganscale::markup
