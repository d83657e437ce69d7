#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/safetensors.h"
#include "cli/add_verb.h"
#include "cli/options/generator_options.h"
#include "cli/verbs.h"
#include "files/atomic_file.h"
#include "models/torchscript.h"

namespace ganscale::cli {
namespace {

struct ExportOptions {
  GeneratorOptions generator;
  std::string format;  ///< empty: by the extension of `out`
  std::filesystem::path out;
};

constexpr auto kExportExample =
    "\n"
    "Examples:\n"
    "  ganscale export --run runs/r1 --out generator.pt                  # torchscript\n"
    "      in Python: generator = torch.jit.load('generator.pt')\n"
    "                 generator(torch.randn(16, 100))                             # without "
    "labels\n"
    "                 generator(torch.randn(16, 100), torch.randint(10, (16,)))   # with ten "
    "labels\n"
    "  ganscale export --run runs/r1 --out generator.safetensors\n"
    "\n"
    "Exports the moving average of any model's generator, in either format. The file's metadata\n"
    "(in Python: _extra_files of torch.jit.load) has model, resolution, channels, z_dim,\n"
    "label_count, seed, truncates_latents, images_seen and, if known, label_probabilities.\n"
    "ganscale's Python package loads a run directly: ganscale.load_generator('runs/r1').";

/// The metadata of the weights, in both formats.
std::map<std::string, std::string> metadata_of(const training::TrainedGenerator& trained) {
  const auto& model = trained.config.model;
  std::map<std::string, std::string> metadata = {
      {"model", model.name},
      {"resolution", short_text_of(model.resolution)},
      {"channels", std::to_string(model.channels)},
      {"z_dim", std::to_string(trained.generator->z_dim())},
      {"label_count", std::to_string(trained.generator->label_count())},
      {"seed", std::to_string(trained.config.training.seed)},
      {"truncates_latents", model.traits.truncates_latents ? "true" : "false"},
      {"images_seen", std::to_string(trained.images_seen)}};
  if (!trained.label_probabilities.empty()) {
    metadata["label_probabilities"] = nlohmann::json(trained.label_probabilities).dump();
  }
  return metadata;
}

/// Returns the format that the extension of a file stands for; empty if it says nothing.
std::string format_of(const std::filesystem::path& file) {
  const auto extension = file.extension();
  if (extension == ".onnx") {
    throw UsageError(
        "--out: export writes .safetensors and .pt; PyTorch makes ONNX from .pt, as "
        "docs/generate.md shows: " +
        file.string());
  }
  if (extension == ".safetensors") return "safetensors";
  return extension == ".pt" ? "torchscript" : "";
}

/// Returns the format to write. Throws UsageError if the file's extension stands for another one.
std::string chosen_format(const ExportOptions& options) {
  const std::string by_name = format_of(options.out);
  if (options.format.empty()) return by_name.empty() ? "safetensors" : by_name;
  if (by_name.empty() || by_name == options.format) return options.format;
  throw UsageError("--out: " + options.out.extension().string() + " is for --format " + by_name +
                   ", not " + options.format + ": " + options.out.string());
}

ExitCode export_generator(const ExportOptions& options) {
  const std::string format = chosen_format(options);
  const auto trained = load_generator(options.generator);
  files::prepare_to_write(options.out);
  if (format == "torchscript") {
    models::save_torchscript(*trained.generator, options.out, metadata_of(trained));
  } else {
    checkpoint::write_safetensors(options.out, named_state(*trained.generator),
                                  metadata_of(trained));
  }
  log::info("Exported the generator",
            {{"checkpoint", trained.checkpoint}, {"format", format}, {"file", options.out}});
  return ExitCode::kOk;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  const auto [verb, options] = add_verb(
      app, action, {"export", "Export a trained generator for other programs", kExportExample},
      export_generator);
  add_generator_options(verb, options.generator);
  verb.add_option("--format", options.format,
                  "safetensors (weights) or torchscript (a module); default: by the extension of "
                  "--out, .safetensors or .pt, otherwise safetensors")
      ->check(CLI::IsMember({"safetensors", "torchscript"}));
  verb.add_option("--out", options.out, "file to write")->required()->type_name("FILE");
}

}  // namespace ganscale::cli
