#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "base/log.h"
#include "cli/config_options.h"
#include "cli/verbs.h"
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
    "  ganscale train --config my.yaml --print-config      # every key, its value and what it "
    "means\n\n"
    "A run folder with checkpoints is resumed. SIGTERM, SIGUSR1 or Ctrl-C: checkpoint, then exit "
    "143.\nUnder mpirun: SIGUSR1 to mpirun; after SIGTERM or Ctrl-C it kills the ranks.";

ExitCode train(const TrainOptions& options) {
  log::set_format(options.log_format == "json" ? log::Format::kJson : log::Format::kText);
  ConfigOptions from = options.config;
  if (!options.resume_weights.empty())
    from.assignments.push_back("training.resume_weights=" + options.resume_weights);
  training::RunConfig config = training::parse_run(read_config(from));
  if (options.config.print_config) {
    std::cout << config.resolved;
    return ExitCode::kOk;
  }
  return training::run_session(std::move(config), training::RunFolder(options.run),
                               options.config.dry_run);
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("train", "Train a GAN, alone or as one rank of many under mpirun");
  verb->footer(kTrainExample);
  const auto options = std::make_shared<TrainOptions>();
  add_config_options(*verb, options->config);
  verb->add_option("--run", options->run, "Run folder: checkpoints, samples, statistics")
      ->type_name("DIR")
      ->capture_default_str();
  verb->add_option("--resume-weights", options->resume_weights,
                   "Checkpoint or run whose weights a new run begins with (transfer learning)")
      ->type_name("DIR");
  verb->add_option("--log-format", options->log_format, "text, or json: one object a line")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  verb->callback([&action, options] { action = [options] { return train(*options); }; });
}

}  // namespace ganscale::cli
