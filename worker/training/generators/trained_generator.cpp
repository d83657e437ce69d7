#include "training/generators/trained_generator.h"

#include "base/error.h"
#include "checkpoint/reader.h"
#include "config/renamed.h"
#include "training/generators/label_bundle_file.h"
#include "training/replica/run_snapshot.h"
#include "training/run/parse_run.h"
#include "training/run/run_folder.h"

namespace ganscale::training {

namespace {

void freeze(models::Generator& generator) {
  generator.eval();
  for (auto& parameter : generator.parameters()) parameter.set_requires_grad(false);
}

TrainedGenerator load_bundle(const std::filesystem::path& file) {
  LabelBundleFile bundle = read_label_bundle(file);
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

TrainedGenerator load_newest_generator(const std::filesystem::path& run_folder) {
  const auto bundle = RunFolder(run_folder).bundle();
  if (std::filesystem::exists(bundle)) return load_bundle(bundle);
  const auto checkpoint = checkpoint::newest_valid_checkpoint(run_folder);
  if (!checkpoint) {
    throw DataError("no checkpoint in this run folder; train first with ganscale train --run: " +
                    run_folder.string());
  }
  return load_generator(*checkpoint);
}

TrainedGenerator load_generator(const std::filesystem::path& checkpoint_folder) {
  if (std::filesystem::is_regular_file(checkpoint_folder)) return load_bundle(checkpoint_folder);
  const RunFolder folder(std::filesystem::absolute(checkpoint_folder).parent_path().parent_path());
  const checkpoint::Snapshot snapshot = checkpoint::load_checkpoint(checkpoint_folder);
  const RunFacts facts = facts_of(snapshot);
  TrainedGenerator trained{
      .generator = nullptr,
      .config = parse_run(config::with_new_names(config::read_yaml_file(folder.config().string()))),
      .checkpoint = checkpoint_folder,
      .run = folder.root(),
      .images_seen = snapshot.images_seen,
      .label_probabilities = facts.label_probabilities,
      .label_names = facts.label_names};
  trained.config.model.channels = facts.channels;
  trained.config.model.label_count = facts.label_count;
  trained.config.model.compute_in_float32();
  trained.generator =
      models::build_generator(trained.config.model, trained.config.training.seed, nullptr);
  const auto weights = snapshot.files.find("generator_ema");
  if (weights == snapshot.files.end()) {
    throw DataError("the checkpoint has no generator_ema: " + checkpoint_folder.string());
  }
  copy_into(named_state(*trained.generator), weights->second, checkpoint_folder.string());
  freeze(*trained.generator);
  return trained;
}

}  // namespace ganscale::training
