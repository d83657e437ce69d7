#pragma once

#include <string_view>

namespace ganscale::report {

/// The contents of page.css and page.js, compiled in.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace ganscale::report
