#pragma once

#include <filesystem>
#include <string>

#include "report/page/run_summary.h"

namespace ganscale::report {

/// Returns a self-contained HTML page of a run: facts, sample grids with a player, curves of
/// losses, scores, rates and metrics, checkpoints, configuration. Follows the reader's light or
/// dark mode. Throws DataError if a grid can't be read.
std::string html_report(const RunSummary& run);

/// Reads a run folder and writes its page atomically. Throws like read_run(), or OutputError.
void write_html_report(const std::filesystem::path& run_folder, const std::filesystem::path& page);

}  // namespace ganscale::report
