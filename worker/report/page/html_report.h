#pragma once

#include <filesystem>
#include <string>

#include "report/page/run_summary.h"

namespace ganscale::report {

/// The parts of a self-contained HTML page.
struct PageParts {
  std::string title;  ///< text
  std::string style;
  std::string body;  ///< HTML
  std::string script;
};

/// Returns a self-contained page.
std::string html_page(const PageParts& parts);

/// The contents of a report as HTML, for a page with kPageStyle and kPageScript (page_assets.h),
/// whose function setUpReport() brings them to life.
struct ReportSections {
  std::string progress;  ///< name, progress, newest metrics
  std::string details;   ///< all else
};

/// Throws DataError if a grid can't be read.
ReportSections report_sections(const RunSummary& run);

/// Returns a self-contained HTML page of a run: facts, sample grids with a player, curves of
/// losses, scores, rates and metrics, checkpoints, configuration. Follows the reader's light or
/// dark mode. Throws DataError if a grid can't be read.
std::string html_report(const RunSummary& run);

/// Reads a run folder and writes its page atomically. Throws like read_run(), or OutputError.
void write_html_report(const std::filesystem::path& run_folder, const std::filesystem::path& page);

}  // namespace ganscale::report
