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

/// A file next to another one, removed when this is destroyed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& beside)
      : path_(files::temporary_beside(fs::absolute(beside))) {
    fs::create_directories(path_.parent_path());
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Converts a network file by scripts/convert-weights.py, which runs no code of it. Throws DataError if
/// it is not one, UsageError without Python; the script has said why.
void convert(const fs::path& network, const fs::path& to) {
  const auto scripts = beside_program(
      {"../share/ganscale/scripts/convert-weights.py", "../../../scripts/convert-weights.py"});
  if (scripts.empty()) throw UsageError("convert-weights.py is not installed");
  const int code =
      supervise({"python3", scripts.front().string(), network.string(), to.string()}, "python3");
  if (code == static_cast<int>(ExitCode::kData))
    throw DataError("not a network file: " + network.string());
  if (code != 0) throw UsageError("python3 has not converted the file: " + network.string());
}

ExitCode import_weights(const ImportOptions& options) {
  const training::RunFolder run(options.run);
  if (options.from.extension() == ".pkl") {
    const TemporaryFile converted(options.run);
    convert(options.from, converted.path());
    training::import_weights(converted.path(), run);
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
