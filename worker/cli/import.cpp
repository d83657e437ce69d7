#include <CLI/CLI.hpp>
#include <memory>

#include "base/log.h"
#include "cli/verbs.h"
#include "training/generators/import_weights.h"

namespace ganscale::cli {
namespace {

struct ImportOptions {
  std::filesystem::path from;
  std::filesystem::path run;
};

constexpr auto kImportExample =
    "\nExample:\n"
    "  scripts/convert-weights.py ffhq.pkl ffhq.safetensors\n"
    "  ganscale import --from ffhq.safetensors --run runs/ffhq\n"
    "  ganscale generate --run runs/ffhq --truncation 0.7 --out faces.png\n"
    "  ganscale train --config my.yaml --resume-weights runs/ffhq --run runs/mine";

ExitCode import_weights(const ImportOptions& options) {
  training::import_weights(options.from, training::RunFolder(options.run));
  log::info("Imported", {{"from", options.from}, {"run", options.run}});
  return ExitCode::kOk;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* verb = app.add_subcommand(
      "import", "Make a run folder from public weights: StyleGAN2, StyleGAN3, R3GAN");
  verb->footer(kImportExample);
  verb->add_option("--from", options->from, "output of scripts/convert-weights.py")
      ->required()
      ->type_name("FILE");
  verb->add_option("--run", options->run, "folder of the new run")->required()->type_name("DIR");
  verb->callback([options, &action] { action = [options] { return import_weights(*options); }; });
}

}  // namespace ganscale::cli
