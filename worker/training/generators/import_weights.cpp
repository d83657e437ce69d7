#include "training/generators/import_weights.h"

#include <array>

#include "base/error.h"
#include "base/with_prefix.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/write_checkpoint.h"
#include "config/units.h"
#include "files/atomic_file.h"
#include "training/phases/run_snapshot.h"
#include "training/run/parse_run.h"

namespace ganscale::training {
namespace {

using Metadata = std::map<std::string, std::string>;

const std::string& value_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw DataError("the weights' metadata lacks a key: " + key);
  return found->second;
}

int number_of(const Metadata& metadata, const std::string& key) {
  const auto number = config::parse_integer(value_of(metadata, key));
  if (!number) throw DataError("the weights' metadata has no number: " + key);
  return static_cast<int>(*number);
}

/// Returns the configuration of a run with these networks.
RunConfig config_of(const Metadata& metadata) {
  std::string yaml = "model:\n  name: stylegan2\n";
  for (const char* key : {"resolution", "z_dim", "w_dim", "mapping_layers", "channel_base",
                          "channel_max", "discriminator", "mbstd_group", "mbstd_features"}) {
    yaml += std::string("  ") + key + ": " + value_of(metadata, key) + "\n";
  }
  const int label_count = number_of(metadata, "label_count");
  yaml += std::string("  conditional: ") + (label_count > 0 ? "true" : "false") + "\n";
  RunConfig config = parse_run(config::parse_yaml(yaml, "imported weights"));
  config.model.channels = number_of(metadata, "channels");
  config.model.label_count = label_count;
  return config;
}

}  // namespace

void import_weights(const std::filesystem::path& from, const RunFolder& run) {
  const auto weights = checkpoint::read_safetensors(from);
  const auto kind = weights.metadata.find("kind");
  if (kind == weights.metadata.end() || kind->second != "stylegan2_weights") {
    throw DataError("not a file of scripts/convert-stylegan2.py: " + from.string());
  }
  if (std::filesystem::exists(run.config())) {
    throw ConfigError("there is a run in this folder already: " + run.root().string());
  }
  const RunConfig config = config_of(weights.metadata);
  Replica replica(config, at::kCPU, ReplicaGroups{});
  const auto state = replica.state();
  for (const auto& [file, prefix] :
       {std::pair{"generator", "G."}, {"discriminator", "D."}, {"generator_ema", "G_ema."}}) {
    copy_into(state.at(file), with_prefix(weights.tensors, prefix), from.string() + ": " + prefix);
  }
  run.create();
  files::write_file_atomically(run.config(), config.resolved);
  const RunFacts facts{.model = config.model.name,
                       .label_count = config.model.label_count,
                       .channels = config.model.channels};
  checkpoint::write_checkpoint(run.root(), make_snapshot(replica.state(), facts, {}));
}

}  // namespace ganscale::training
