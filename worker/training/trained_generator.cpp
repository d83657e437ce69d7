#include "training/trained_generator.h"

#include "base/error.h"
#include "checkpoint/reader.h"
#include "training/run_folder.h"
#include "training/run_snapshot.h"

namespace ganscale::training {

TrainedGenerator load_newest_generator(const std::filesystem::path& run_folder) {
  const auto checkpoint = checkpoint::newest_valid_checkpoint(run_folder);
  if (!checkpoint) {
    throw DataError("no checkpoint in this run folder; train first with ganscale train --run: " +
                    run_folder.string());
  }
  return load_generator(*checkpoint);
}

TrainedGenerator load_generator(const std::filesystem::path& checkpoint_folder) {
  const RunFolder folder(std::filesystem::absolute(checkpoint_folder).parent_path().parent_path());
  const checkpoint::Snapshot snapshot = checkpoint::load_checkpoint(checkpoint_folder);
  const RunFacts facts = facts_of(snapshot);
  TrainedGenerator trained{.generator = nullptr,
                           .config = parse_run(config::read_yaml_file(folder.config().string())),
                           .checkpoint = checkpoint_folder,
                           .images_seen = snapshot.images_seen};
  trained.config.model.channels = facts.channels;
  trained.config.model.label_count = facts.label_count;
  trained.config.model.stylegan2.narrow_type.reset();
  trained.generator =
      models::build_generator(trained.config.model, trained.config.training.seed, nullptr);
  const auto weights = snapshot.files.find("generator_ema");
  if (weights == snapshot.files.end()) {
    throw DataError("the checkpoint has no generator_ema: " + checkpoint_folder.string());
  }
  copy_into(named_state(*trained.generator), weights->second, checkpoint_folder.string());
  trained.generator->eval();
  for (auto& parameter : trained.generator->parameters()) parameter.set_requires_grad(false);
  return trained;
}

}  // namespace ganscale::training
