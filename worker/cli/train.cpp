#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "base/log.h"
#include "cli/config_options.h"
#include "cli/verbs.h"
#include "training/run/parse_run.h"
#include "training/schemes/schemes.h"
#include "training/session/session.h"

namespace ganscale::cli {
namespace {

struct TrainOptions {
  ConfigOptions config;
  std::string run = "runs/run";
  std::string log_format = "text";
  std::string resume_weights;
};

constexpr auto kTrainExample =
    "\nExamples:\n"
    "  ganscale train --config configs/runs/demo-emoji32.yaml --run runs/demo\n"
    "  mpirun -n 8 ganscale train --config my.yaml --set training.batch=256 --run runs/faces\n"
    "  ganscale train --config my.yaml --print-config      # all keys with values and "
    "documentation\n"
    "\n"
    "Resumes a run folder with checkpoints. SIGTERM, SIGUSR1 or Ctrl-C: writes a checkpoint and\n"
    "ends with exit code 143. Under mpirun send SIGUSR1 to mpirun: on SIGTERM or Ctrl-C it kills\n"
    "the ranks.";

ExitCode train(const TrainOptions& options) {
  log::set_format(options.log_format == "json" ? log::Format::kJson : log::Format::kText);
  ConfigOptions from = options.config;
  if (!options.resume_weights.empty())
    from.assignments.push_back("training.resume_weights=" + options.resume_weights);
  training::RunConfig config =
      training::parse_run(read_config(from), training::scheme_keys(training::schemes()));
  if (options.config.print_config) {
    std::cout << config.resolved;
    return ExitCode::kOk;
  }
  return training::run_session(std::move(config), training::RunFolder(options.run),
                               training::schemes(), options.config.dry_run);
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("train", "Train a GAN, as a single process or under mpirun");
  verb->footer(kTrainExample);
  const auto options = std::make_shared<TrainOptions>();
  add_config_options(*verb, options->config);
  verb->add_option("--run", options->run, "Run folder: checkpoints, samples, statistics")
      ->type_name("DIR")
      ->capture_default_str();
  verb->add_option(
          "--resume-weights", options->resume_weights,
          "Checkpoint or run to initialize the weights of a new run from (transfer learning)")
      ->type_name("DIR");
  verb->add_option("--log-format", options->log_format, "text, or json: one object per line")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  verb->callback([&action, options] { action = [options] { return train(*options); }; });
}

}  // namespace ganscale::cli
