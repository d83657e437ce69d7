#pragma once

#include <string>

namespace ganscale::cli {

/// Returns the page of a run: sliders and the image that they choose, and room for the report. Its
/// script fills it with what the server answers (see LiveRun), with the token in the page's address.
std::string live_page(const std::string& run_name);

}  // namespace ganscale::cli
