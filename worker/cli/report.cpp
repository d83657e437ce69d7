#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/run_files.h"
#include "cli/add_verb.h"
#include "cli/options/run_argument.h"
#include "cli/verbs.h"
#include "report/page/html_report.h"

namespace ganscale::cli {
namespace {

struct ReportOptions {
  std::filesystem::path run;
  std::filesystem::path out;
};

constexpr VerbText kReportText{
    "report", "Write a self-contained HTML report of a run",
    "\nExample:\n  ganscale report runs/r1            # writes runs/r1/report.html"};

ExitCode write_report(const ReportOptions& options) {
  const auto page =
      options.out.empty() ? options.run / checkpoint::run_files::kReport : options.out;
  if (page.extension() != ".html")
    throw UsageError("--out: a report is written as .html: " + page.string());
  report::write_html_report(options.run, page);
  log::info("Wrote the report", {{"file", page}});
  return ExitCode::kOk;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  const auto [verb, options] = add_verb(app, action, kReportText, write_report);
  add_run_argument(verb, options.run);
  verb.add_option("--out", options.out, "file to write; default: RUN/report.html");
}

}  // namespace ganscale::cli
