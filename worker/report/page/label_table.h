#pragma once

#include <cstddef>
#include <string>

#include "report/page/run_summary.h"

namespace ganscale::report {

/// Tables of labels with more rows than this are collapsed.
inline constexpr std::ptrdiff_t kMostOpenRows = 30;

/// Returns the newest metrics within labels as an HTML section: a row a label, and rows of their mean
/// and minimum; empty if none was measured.
std::string label_table(const RunSummary& run);

}  // namespace ganscale::report
