#include <CLI/App.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "files/atomic_file.h"
#include "scaling_sweep/decide/progress.h"
#include "scaling_sweep/desired/report_map.h"
#include "verbs/documents.h"
#include "verbs/sources.h"
#include "verbs/sweep_plan.h"
#include "verbs/verbs.h"

namespace ganscale::controller {
namespace {

struct ReportOptions {
  std::string file;
  std::string folder;
  SourceOptions sources;
};

constexpr auto kReportExample =
    "\nExample:\n  kubectl get scalingsweep weak -o json >weak.json\n"
    "  ganscale-operator report -f weak.json --out weak/\n";

/// Returns the only ScalingSweep of a file (`-`: standard input). Throws ConfigError.
Json read_sweep(const std::string& file) {
  const std::vector<Json> documents = read_documents(file);
  const bool is_sweep = documents.size() == 1 && documents[0].is_object() &&
                        documents[0].value("kind", "") == scaling_sweep::kKind;
  if (!is_sweep) {
    throw ConfigError(name_of(file) +
                      ": expected one ScalingSweep, such as `kubectl get scalingsweep NAME "
                      "-o json` prints or a report.json");
  }
  return documents[0];
}

/// A result of another spec belongs to no point of this sweep: the report would omit it.
void require_results(const scaling_sweep::Plan& plan, const scaling_sweep::Record& record,
                     const std::string& file) {
  const int done = scaling_sweep::done_count(plan, record);
  if (done > 0 && done == static_cast<int>(record.results.size())) return;
  throw ConfigError(name_of(file) + ": status.runs: has results of the runs of this spec for " +
                    std::to_string(done) + " of " + std::to_string(record.results.size()) +
                    "; does it need --node-profiles?");
}

ExitCode write_report(const ReportOptions& options) {
  const Json document = read_sweep(options.file);
  const auto plan =
      sweep_plan(document, read_profiles(options.sources), read_schema(options.sources));
  const auto record = scaling_sweep::read_record(document.value("status", Json()));
  require_results(plan, record, options.file);
  const Json report = scaling_sweep::report_map(plan, record);
  for (const auto& [name, text] : report["data"].items()) {
    const std::filesystem::path path = std::filesystem::path(options.folder) / name;
    files::write_file_atomically(path, text.get<std::string>());
    std::cout << path.string() << "\n";
  }
  return ExitCode::kOk;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "report", "Write the report of a ScalingSweep from its results; needs no cluster");
  verb->footer(kReportExample);
  const auto options = std::make_shared<ReportOptions>();
  verb->add_option("-f,--file", options->file,
                   "JSON or YAML of a ScalingSweep with its status; -: standard input")
      ->required()
      ->type_name("FILE");
  verb->add_option("--out", options->folder, "Folder for the files of the report")
      ->required()
      ->type_name("DIR");
  add_source_options(*verb, options->sources);
  verb->callback([&action, options] { action = [options] { return write_report(*options); }; });
}

}  // namespace ganscale::controller
