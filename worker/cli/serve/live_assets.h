#pragma once

#include <string_view>

namespace ganscale::cli {

/// The contents of live.html, live.css and live.js, compiled in.
extern const std::string_view kLiveBody;
extern const std::string_view kLiveStyle;
extern const std::string_view kLiveScript;

}  // namespace ganscale::cli
