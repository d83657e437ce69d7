#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ganscale::controller::scaling_sweep {

/// Replaces the characters that mean something in HTML, SVG and XML.
std::string escaped(const std::string& text);

/// Writes a number with so many decimals: 12.50. What is not finite becomes a dash.
std::string number(double value, int decimals);

/// Returns 1 rank, or 2 ranks.
std::string ranks_text(int ranks);

/// Attributes of an element, in their order.
using Attributes = std::vector<std::pair<const char*, std::string>>;

/// Returns <name key="value" ...>content</name>. Values are escaped, the content is not.
std::string element(const char* name, const Attributes& attributes,
                    const std::string& content = "");

/// Returns an SVG text; anchor: start, middle or end.
std::string label(double x, double y, const char* anchor, const std::string& text);

}  // namespace ganscale::controller::scaling_sweep
