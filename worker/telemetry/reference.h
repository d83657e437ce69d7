#pragma once

#include <string>

namespace ganscale::telemetry {

/// Returns docs/metrics.md: every instrument with its type, labels and meaning, as Markdown.
std::string metrics_reference();

}  // namespace ganscale::telemetry
