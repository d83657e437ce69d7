#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/joined.h"
#include "base/log.h"
#include "cli/add_verb.h"
#include "cli/images/image_sampler.h"
#include "cli/options/generator_options.h"
#include "cli/verbs.h"
#include "data/storage/storage.h"
#include "files/atomic_file.h"
#include "models/label_bundle.h"
#include "training/evaluation/evaluator.h"
#include "training/evaluation/metrics_log.h"
#include "training/evaluation/other_settings.h"
#include "training/run/dataset.h"
#include "training/run/parse_run.h"
#include "training/run/run_folder.h"
#include "training/session/check_config.h"
#include "training/session/process_context.h"

namespace ganscale::cli {
namespace {

struct EvaluateOptions {
  GeneratorOptions generator;
  SamplingOptions sampling;
  std::string metrics;
  std::string feature_net;
  std::string perceptual_net;
  std::vector<std::string> assignments;
  std::filesystem::path out;
};

constexpr auto kEvaluateExample =
    "\n"
    "Examples:\n"
    "  mpirun -n 8 ganscale evaluate --run runs/r1 --metrics fid50k,is50k,kid50k,pr50k3 \\\n"
    "      --feature-net inception-2015-12-05.pt\n"
    "  ganscale evaluate --checkpoint runs/r1/checkpoints/kimg-000200 --metrics fid10k \\\n"
    "      --feature-net inception.safetensors --set data.path=/data/faces\n"
    "  ganscale evaluate --run runs/r1 --metrics ppl50k_wend --perceptual-net vgg16.pt\n"
    "  ganscale evaluate --run runs/r1 --metrics fid50k,is50k --truncation 0.5 \\\n"
    "      --standing-statistics 100 --feature-net inception-2015-12-05.pt\n"
    "\n"
    "Metrics: fid, is, kid, pr (precision, recall), dc (density, coverage), ppl (perceptual path\n"
    "length), eqt and eqr (equivariance of stylegan3 to translations and rotations), each\n"
    "followed by the number of generated images. fid, kid, pr and dc compare with at most 50,000\n"
    "real images, or with all of them if _full is appended, as in kid50k_full and pr50k3_full.\n"
    "fid, pr and dc can also be measured within each label, as in fid50k_by_label. eqt50k_int\n"
    "translates by whole pixels, eqt50k_frac by fractions of them.\n"
    "The result does not depend on the number of ranks. It is added to the run's metrics.jsonl\n"
    "unless other data, networks, settings or samples than the run's can change values.";

/// Returns the configuration of the generator with the options applied.
training::RunConfig read_config(const EvaluateOptions& options,
                                const training::TrainedGenerator& trained) {
  auto node = config::parse_yaml(trained.config.resolved, trained.checkpoint.string());
  const auto set = [&](const std::string& assignment) {
    config::overlay(node, config::parse_assignment(assignment));
  };
  set("comm.expected_world_size=0");  // the key of a run is about its training
  if (!options.metrics.empty()) set("evaluate.metrics=[" + options.metrics + "]");
  // A path is not YAML: it may have a # or a colon.
  const auto set_path = [&](const char* key, const std::string& path, const char* option) {
    if (!path.empty()) config::overlay(node, config::nest(key, {path, {option, 0}}));
  };
  set_path("evaluate.feature_net", options.feature_net, "--feature-net");
  set_path("evaluate.perceptual_net", options.perceptual_net, "--perceptual-net");
  for (const auto& assignment : options.assignments) set(assignment);
  return training::parse_run(std::move(node));
}

/// Prints a JSON object with one line per metric, including those with a value per label.
std::string in_lines(const nlohmann::ordered_json& json) {
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += (text.empty() ? "{\n  " : ",\n  ") + nlohmann::json(name).dump() + ": " + value.dump();
  }
  return text + "\n}\n";
}

/// Throws UsageError for path lengths of truncated latents: a path may lead beyond the threshold.
void require_no_paths(const metrics::EvaluateConfig& config,
                      const models::SampleTruncation& truncation) {
  const auto path =
      std::ranges::find(config.metrics, metrics::Metric::kPathLength, &metrics::MetricName::metric);
  if (!truncation.latent_threshold || path == config.metrics.end()) return;
  throw UsageError("--truncation: a path through latents does not truncate them; measure without " +
                   path->text);
}

/// What is evaluated, and with what.
struct Evaluation {
  const training::TrainedGenerator& trained;
  const SamplingOptions& sampling;
  const training::RunConfig& config;
  const training::Dataset& dataset;
};

/// Throws ConfigError unless the generator makes images like the dataset's, of the same labels.
void require_same_images(const Evaluation& evaluation) {
  const training::TrainedGenerator& trained = evaluation.trained;
  const std::string path = "data.path: " + evaluation.config.data.path;
  const int channels = trained.generator->image().channels;
  if (evaluation.dataset.policy.channels != channels) {
    throw ConfigError(path + ": the generator makes images of " + counted(channels, "channel") +
                      ", the dataset has " + std::to_string(evaluation.dataset.policy.channels) +
                      "; name the run's dataset, or convert the images with --set data.channels=" +
                      (channels == 1 ? "gray" : "rgb"));
  }
  const auto names = training::label_names(*evaluation.dataset.source);
  if (const auto label = training::first_renamed_label(trained.label_names, names)) {
    throw ConfigError(path + ": label " + std::to_string(*label) + " is " + names[*label] +
                      " in the dataset, but " + trained.label_names[*label] +
                      " in the run; name a dataset with the run's labels");
  }
}

/// Returns whether the dataset is the run's: also if it has moved, that is, if it is as large and
/// has the same labels, and nothing is at the run's path. Only of a file is that known, not of S3 or
/// of a pattern of shards.
bool has_data_of_run(const Evaluation& evaluation) {
  const std::string& own = evaluation.trained.config.data.path;
  const std::string& path = evaluation.config.data.path;
  std::error_code missing;
  if (path == own || std::filesystem::equivalent(path, own, missing)) return true;
  const bool is_file = data::is_local(own) && own.find('{') == std::string::npos;
  if (!is_file || std::filesystem::exists(own, missing)) return false;
  const training::RunFacts& facts = evaluation.dataset.facts;
  return evaluation.trained.record_count == facts.record_count &&
         evaluation.trained.label_probabilities == facts.label_probabilities;
}

/// Appends a line to the run's metrics if it is the newest, and was measured as the run does. A
/// bundle may be outside of any run, and a run folder may be read-only.
void add_to_run(const training::MetricsLine& line, const Evaluation& evaluation) {
  const training::RunFolder folder(evaluation.trained.run);
  if (!std::filesystem::exists(folder.config())) return;
  try {
    auto others = training::other_settings(evaluation.trained.config, evaluation.config,
                                           has_data_of_run(evaluation));
    std::ranges::move(given_options(evaluation.sampling), std::back_inserter(others));
    if (others.empty()) {
      training::append_if_newest(folder.metrics(), line);
    } else {
      log::info("Not added to metrics.jsonl: measured with other settings than the run's",
                {{"keys", joined(others)}, {"file", folder.metrics()}});
    }
  } catch (const DataError& error) {
    log::warning("Cannot add the result to the metrics of the run", {{"reason", error.what()}});
  }
}

/// Prints the result and adds it to the run's metrics.
void report(const training::MetricsLine& line, const EvaluateOptions& options,
            const Evaluation& evaluation) {
  const auto text = in_lines(training::to_json(line));
  std::fputs(text.c_str(), stdout);
  add_to_run(line, evaluation);
  if (!options.out.empty()) files::write_file_atomically(options.out, text);
}

ExitCode evaluate(const EvaluateOptions& options) {
  auto trained = load_generator(options.generator);
  auto config = read_config(options, trained);
  if (config.evaluate.metrics.empty()) {
    throw UsageError(
        "give --metrics, such as --metrics fid50k,is50k; the run's configuration "
        "names none in evaluate.metrics");
  }
  const auto truncation = truncation_of(trained, wanted_truncation(options.sampling));
  require_no_paths(config.evaluate, truncation);
  const auto process = training::open_process_context(config);
  comm::Group& group = *process.world.group;
  training::require_same_config(group, config.resolved);
  if (group.rank() == 0 && !options.out.empty()) files::prepare_to_write(options.out);
  trained = training::generator_of_rank_0(group, std::move(trained), options.generator.ema_kimg);
  const auto dataset = training::open_dataset(config.data, config.model);
  training::require_same_dataset(group, config.data, dataset);
  const Evaluation evaluation{trained, options.sampling, config, dataset};
  require_same_images(evaluation);
  trained.generator->to(process.devices.generator);
  take_statistics(options.sampling, trained, truncation.latent_threshold);
  log::info("Evaluating", {{"checkpoint", trained.checkpoint}, {"ranks", group.size()}});
  const auto start = std::chrono::steady_clock::now();
  training::Evaluator evaluator(config.evaluate, {*dataset.source, dataset.policy},
                                process.devices.generator, group,
                                models::labels_of(*trained.generator));
  auto measured = evaluator.evaluate(*trained.generator, config.training.seed, truncation);
  if (options.generator.ema_kimg.value_or(config.generator.ema.kimg) != config.generator.ema.kimg) {
    measured = metrics::of_average(measured, *options.generator.ema_kimg);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (group.rank() == 0) {
    report({trained.images_seen, seconds.count(), measured}, options, evaluation);
  }
  group.finish();
  return ExitCode::kOk;
}

}  // namespace

void add_evaluate(CLI::App& app, Action& action) {
  const auto [verb, options] =
      add_verb(app, action,
               {"evaluate", "Evaluate a trained generator, as a single process or under mpirun",
                kEvaluateExample},
               evaluate);
  add_generator_options(verb, options.generator);
  add_sampling_options(verb, options.sampling);
  verb.add_option("--metrics", options.metrics,
                  "comma-separated metrics; default: the run's metrics");
  verb.add_option("--feature-net", options.feature_net, "file of the feature network");
  verb.add_option("--perceptual-net", options.perceptual_net,
                  "file of the network for path lengths (ppl)");
  verb.add_option("--set", options.assignments, "override one key of the run's configuration")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_option("--out", options.out, "also write the results to this JSON file");
}

}  // namespace ganscale::cli
