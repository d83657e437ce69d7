#pragma once

#include <filesystem>
#include <string>

#include "report/run_summary.h"

namespace ganscale::report {

/// Returns a run as one HTML page that needs nothing else: facts, sample grids with a player,
/// curves of losses, scores, rates and metrics, checkpoints, configuration. Light or dark as the
/// reader's system is. Throws DataError if a grid can't be read.
std::string html_report(const RunSummary& run);

/// Reads a run folder and writes its page, whole or not at all. Throws as read_run, or OutputError.
void write_html_report(const std::filesystem::path& run_folder, const std::filesystem::path& page);

}  // namespace ganscale::report
