#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "base/non_copyable.h"
#include "cli/add_verb.h"
#include "cli/launch/supervise.h"
#include "cli/options/beside_program.h"
#include "cli/options/config_options.h"
#include "cli/verbs.h"
#include "files/atomic_file.h"
#include "training/generators/import_weights.h"
#include "training/generators/torch_file.h"
#include "training/run/parse_run.h"
#include "training/run/presets.h"

namespace ganscale::cli {
namespace {

struct ImportOptions {
  std::filesystem::path from;
  std::filesystem::path run;
  ConfigOptions config;
  ShapeOptions shapes;
  bool has_shapes = false;  ///< one of them was given
};

constexpr auto kImportExample =
    "\nExamples:\n"
    "  ganscale import --from ffhq.pkl --run runs/ffhq\n"
    "  ganscale generate --run runs/ffhq --truncation 0.7 --out faces.png\n"
    "  ganscale train --config my.yaml --resume-weights runs/ffhq --run runs/mine\n"
    "  ganscale import --from networks.pt --config my.yaml --run runs/networks\n"
    "\n"
    "networks.pt is a file of torch.save(), in Python:\n"
    "  torch.save({'G': g.state_dict(), 'D': d.state_dict(), 'G_ema': ema.state_dict()}, "
    "'networks.pt')\n"
    "A single state_dict() is taken as the generator's. The file does not say its model, so\n"
    "--config or --set must.\n"
    "It is read without Python, and refused if it contains anything but tensors and plain "
    "values.";

namespace fs = std::filesystem;

/// A file next to another one, removed when this is destroyed.
class TemporaryFile : NonCopyable {
 public:
  explicit TemporaryFile(const fs::path& beside)
      : path_(files::temporary_beside(fs::absolute(beside))) {
    fs::create_directories(path_.parent_path());
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Converts a network file by scripts/convert-weights.py, which runs no code of it. Throws
/// DataError if it is not one, UsageError without Python; the script has said why.
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

bool is_network(const fs::path& from) { return from.extension() == ".pkl"; }

/// Imports a network file, whose metadata tell its model.
void import_network(const fs::path& from, const training::RunFolder& run) {
  if (!is_network(from)) return training::import_weights(from, run);
  const TemporaryFile converted(run.root());
  convert(from, converted.path());
  training::import_weights(converted.path(), run);
}

config::Section section_of(const ImportOptions& options) {
  config::Node node = read_config(options.config);
  training::apply_presets(node, /*world_size=*/1);
  return config::Section(std::move(node));
}

bool has_config(const ImportOptions& options) {
  return !options.config.file.empty() || !options.config.assignments.empty();
}

/// Checks combinations of options. A file of torch.save() may be named .pkl, too.
void require_possible(const ImportOptions& options) {
  if (options.config.print_config && !has_config(options)) {
    throw UsageError(
        "--print-config: there is no configuration to print; name one (--config) or keys (--set), "
        "or leave the option out");
  }
  if (options.has_shapes && !has_config(options)) {
    throw UsageError("--channels, --labels: only with a configuration (--config or --set): " +
                     options.from.string());
  }
  if (has_config(options) && is_network(options.from) && !training::is_torch_file(options.from)) {
    throw UsageError(
        "--config, --set: a network file (.pkl) says itself of which model it is; leave the "
        "options out: " +
        options.from.string());
  }
}

ExitCode import_weights(const ImportOptions& options) {
  require_possible(options);
  const training::RunFolder run(options.run);
  if (has_config(options)) {
    const config::Section in = section_of(options);
    training::RunConfig config = training::parse_run(in);
    if (print_config_if_asked(options.config, config.resolved)) return ExitCode::kOk;
    set_shapes(options.shapes, config.model);
    training::import_weights(options.from, config, in.location("model.name"), run);
  } else if (training::is_torch_file(options.from)) {
    throw UsageError(
        "a file of PyTorch does not say of which model it is, so name a configuration "
        "(--config) or keys (--set model.name=...): " +
        options.from.string());
  } else {
    import_network(options.from, run);
  }
  log::info("Imported", {{"from", options.from}, {"run", options.run}});
  return ExitCode::kOk;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  const auto [verb, options] =
      add_verb(app, action,
               {"import", "Make a run folder from public weights, or from a file of torch.save()",
                kImportExample},
               import_weights);
  verb.add_option(
          "--from", options.from,
          "network file of StyleGAN2, StyleGAN3 or R3GAN (.pkl), which python3 converts "
          "with torch and safetensors; the output of scripts/convert-weights.py; or, with a "
          "configuration, a file of torch.save() or safetensors")
      ->required()
      ->type_name("FILE");
  verb.add_option("--run", options.run, "folder of the new run")->required()->type_name("DIR");
  add_config_file_options(verb, options.config);
  add_shape_options(verb, options.shapes);
  for (const char* shape : {"--channels", "--labels"}) {
    verb.get_option(shape)->each(
        [&given = options.has_shapes](const std::string&) { given = true; });
  }
}

}  // namespace ganscale::cli
