#include "training/generators/import_weights.h"

#include "base/error.h"
#include "base/with_prefix.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/write_checkpoint.h"
#include "config/units.h"
#include "files/atomic_file.h"
#include "training/replica/run_snapshot.h"
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

/// Returns the model that these weights are of.
const models::Model& model_of(const Metadata& metadata, const std::filesystem::path& from) {
  const auto kind = metadata.find("kind");
  for (const models::Model& model : models::model_table()) {
    if (model.public_weights == nullptr) continue;
    if (kind != metadata.end() && kind->second == model.public_weights->kind) return model;
  }
  throw DataError("not a file of scripts/convert-weights.py: " + from.string());
}

/// Returns the configuration of a run with these networks.
RunConfig config_of(const models::Model& model, const Metadata& metadata) {
  const int label_count = number_of(metadata, "label_count");
  const config::Location location{"imported weights"};
  config::Node::Map keys;
  keys.push_back({"name", config::Node{std::string(model.name), location}});
  for (const std::string_view view : model.public_weights->keys) {
    const std::string key(view);
    keys.push_back(config::parse_assignment(key + "=" + value_of(metadata, key)).map()->front());
    keys.back().value.location = location;
  }
  if (model.traits.labels == models::Labels::kOptional) {
    keys.push_back({"conditional", config::Node{label_count > 0 ? "true" : "false", location}});
  }
  RunConfig config = parse_run(config::nest("model", {std::move(keys), location}));
  config.model.channels = number_of(metadata, "channels");
  config.model.label_count = label_count;
  return config;
}

}  // namespace

void import_weights(const std::filesystem::path& from, const RunFolder& run) {
  const auto weights = checkpoint::read_safetensors(from);
  const models::Model& model = model_of(weights.metadata, from);
  if (std::filesystem::exists(run.config())) {
    throw ConfigError("this folder already contains a run: " + run.root().string());
  }
  const RunConfig config = config_of(model, weights.metadata);
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
