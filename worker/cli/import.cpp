#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "cli/launch/supervise.h"
#include "cli/options/beside_program.h"
#include "cli/verbs.h"
#include "files/atomic_file.h"
#include "training/generators/import_weights.h"

namespace ganscale::cli {
namespace {

struct ImportOptions {
  std::filesystem::path from;
  std::filesystem::path run;
};

constexpr auto kImportExample =
    "\nExample:\n"
    "  ganscale import --from ffhq.pkl --run runs/ffhq\n"
    "  ganscale generate --run runs/ffhq --truncation 0.7 --out faces.png\n"
    "  ganscale train --config my.yaml --resume-weights runs/ffhq --run runs/mine";

namespace fs = std::filesystem;

/// A network file that was converted by scripts/convert-weights.py, until it is destroyed.
class Converted {
 public:
  /// network: a pickle, whose code is not run. beside: where the file is put. Throws DataError if it
  /// is no network file, UsageError without Python; the converter has said why.
  Converted(const fs::path& network, const fs::path& beside)
      : file_(files::temporary_beside(fs::absolute(beside))) {
    const auto converters = beside_program(
        {"../share/ganscale/scripts/convert-weights.py", "../../../scripts/convert-weights.py"});
    if (converters.empty()) throw UsageError("convert-weights.py is not installed");
    fs::create_directories(file_.parent_path());
    const int code = supervise(
        {"python3", converters.front().string(), network.string(), file_.string()}, "python3");
    if (code == static_cast<int>(ExitCode::kData))
      throw DataError("not a network file: " + network.string());
    if (code != 0) throw UsageError("python3 has not converted the file: " + network.string());
  }
  ~Converted() {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
  Converted(const Converted&) = delete;
  Converted& operator=(const Converted&) = delete;

  const fs::path& file() const { return file_; }

 private:
  fs::path file_;
};

ExitCode import_weights(const ImportOptions& options) {
  const training::RunFolder run(options.run);
  if (options.from.extension() == ".pkl") {
    training::import_weights(Converted(options.from, options.run).file(), run);
  } else {
    training::import_weights(options.from, run);
  }
  log::info("Imported", {{"from", options.from}, {"run", options.run}});
  return ExitCode::kOk;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* verb = app.add_subcommand(
      "import", "Make a run folder from public weights: StyleGAN2, StyleGAN3, R3GAN");
  verb->footer(kImportExample);
  verb->add_option("--from", options->from,
                   "network file (.pkl), which python3 converts with torch and safetensors, or the "
                   "output of scripts/convert-weights.py")
      ->required()
      ->type_name("FILE");
  verb->add_option("--run", options->run, "folder of the new run")->required()->type_name("DIR");
  verb->callback([options, &action] { action = [options] { return import_weights(*options); }; });
}

}  // namespace ganscale::cli
