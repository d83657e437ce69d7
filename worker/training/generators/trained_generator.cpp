#include "training/generators/trained_generator.h"

#include <algorithm>

#include "base/error.h"
#include "checkpoint/checkpoint_name.h"
#include "checkpoint/reader.h"
#include "comm/collectives/gather_text.h"
#include "config/renamed.h"
#include "config/units.h"
#include "training/generators/label_bundle_file.h"
#include "training/replica/generator_average.h"
#include "training/replica/run_snapshot.h"
#include "training/run/parse_run.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

namespace {

void freeze(models::Generator& generator) {
  generator.eval();
  for (auto& parameter : generator.parameters()) parameter.set_requires_grad(false);
}

/// Returns the checkpoint file of the average with a half-life. Throws ConfigError.
std::string file_of(const RunConfig& config, std::optional<double> ema_kimg) {
  const optim::EmaConfig& ema = config.generator.ema;
  if (!ema_kimg || *ema_kimg == ema.kimg) return "generator_ema";
  const bool is_other = std::ranges::find(ema.others, *ema_kimg) != ema.others.end();
  if (is_other) return file_of_average(*ema_kimg);
  std::string there = config::format_number(ema.kimg);
  for (const double other : ema.others) there += ", " + config::format_number(other);
  throw ConfigError("no average has a half-life of " + config::format_number(*ema_kimg) +
                    " kimg; the run has: " + there);
}

TrainedGenerator load_bundle(const std::filesystem::path& file, std::optional<double> ema_kimg) {
  LabelBundleFile bundle = read_label_bundle(file);
  file_of(bundle.config, ema_kimg);
  freeze(*bundle.generator);
  return {.generator = std::move(bundle.generator),
          .config = std::move(bundle.config),
          .checkpoint = file,
          .run = std::filesystem::absolute(file).parent_path(),
          .images_seen = bundle.images_seen,
          .label_probabilities = std::move(bundle.label_probabilities),
          .label_names = std::move(bundle.label_names)};
}

}  // namespace

TrainedGenerator load_newest_generator(const std::filesystem::path& run_folder,
                                       std::optional<double> ema_kimg) {
  const auto bundle = RunFolder(run_folder).bundle();
  if (std::filesystem::exists(bundle)) return load_bundle(bundle, ema_kimg);
  const auto checkpoint = checkpoint::newest_valid_checkpoint(run_folder);
  if (!checkpoint) {
    throw DataError("no checkpoint in this run folder; train first with ganscale train --run: " +
                    run_folder.string());
  }
  return load_generator(*checkpoint, ema_kimg);
}

TrainedGenerator load_generator(const std::filesystem::path& checkpoint_folder,
                                std::optional<double> ema_kimg) {
  if (std::filesystem::is_regular_file(checkpoint_folder)) {
    return load_bundle(checkpoint_folder, ema_kimg);
  }
  const RunFolder folder(checkpoint::path_with_name(checkpoint_folder).parent_path().parent_path());
  const checkpoint::Snapshot snapshot = checkpoint::load_checkpoint(checkpoint_folder);
  const RunFacts facts = facts_of(snapshot);
  TrainedGenerator trained{
      .generator = nullptr,
      .config = parse_run(config::with_new_names(config::read_yaml_file(folder.config().string()))),
      .checkpoint = checkpoint_folder,
      .run = folder.root(),
      .images_seen = snapshot.images_seen,
      .label_probabilities = facts.label_probabilities,
      .label_names = facts.label_names,
      .record_count = facts.record_count};
  trained.config.model.channels = facts.channels;
  trained.config.model.label_count = facts.label_count;
  trained.config.model.compute_in_float32();
  trained.generator = models::build_generator(trained.config.model, /*seed=*/std::nullopt, nullptr);
  const std::string file = file_of(trained.config, ema_kimg);
  const auto weights = snapshot.files.find(file);
  if (weights == snapshot.files.end()) {
    throw DataError("the checkpoint has no " + file + ": " + checkpoint_folder.string());
  }
  copy_into(named_state(*trained.generator), weights->second, checkpoint_folder.string());
  freeze(*trained.generator);
  return trained;
}

TrainedGenerator generator_of_rank_0(comm::Group& group, TrainedGenerator own,
                                     std::optional<double> ema_kimg) {
  const std::filesystem::path first = comm::text_of_rank_0(group, own.checkpoint.string());
  if (first == own.checkpoint) return own;
  return load_generator(first, ema_kimg);
}

}  // namespace ganscale::training
