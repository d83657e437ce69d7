#include "training/generators/import_weights.h"

#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/write_checkpoint.h"
#include "config/units.h"
#include "data/formats/label_file.h"
#include "files/atomic_file.h"
#include "tensors/with_prefix.h"
#include "training/generators/torch_file.h"
#include "training/replica/run_snapshot.h"
#include "training/run/parse_run.h"

namespace ganscale::training {
namespace {

using Metadata = std::map<std::string, std::string>;

/// The files of a checkpoint, and what the names of their tensors begin with.
constexpr std::pair<const char*, const char*> kPrefixes[] = {
    {"generator", "G."}, {"discriminator", "D."}, {"generator_ema", "G_ema."}};

const std::string& value_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw DataError("the weights' metadata lacks a key: " + key);
  return found->second;
}

int number_of(const Metadata& metadata, const std::string& key, int least, int most) {
  const std::string& text = value_of(metadata, key);
  const auto number = config::parse_integer(text);
  if (!number || *number < least || *number > most) {
    throw DataError("the weights' metadata has no number from " + std::to_string(least) + " to " +
                    std::to_string(most) + ": " + key + ": " + text);
  }
  return static_cast<int>(*number);
}

/// Returns the model that these weights are of.
const models::Model& model_of(const Metadata& metadata, const std::filesystem::path& from) {
  const auto kind = metadata.find("kind");
  for (const models::Model& model : models::model_table()) {
    if (model.public_weights == nullptr) continue;
    if (kind != metadata.end() && kind->second == model.public_weights->kind) return model;
  }
  throw DataError("not a file of scripts/convert-weights.py: " + from.string() +
                  "; other files need a configuration (--config)");
}

/// Returns where the keys of weights that say their model were written.
config::Location own_keys() { return {"imported weights"}; }

/// Returns the configuration of a run with these networks.
RunConfig config_of(const models::Model& model, const Metadata& metadata) {
  const int label_count = number_of(metadata, "label_count", 0, data::kMostLabels);
  const config::Location location = own_keys();
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
  config::Node root = config::nest("model", {std::move(keys), location});
  // Of a run without low precision, StyleGAN2 would clamp no activations.
  if (const auto precision = metadata.find("precision"); precision != metadata.end()) {
    config::overlay(root, config::nest("training.precision", {precision->second, location}));
  }
  RunConfig config = parse_run(std::move(root));
  config.model.channels = number_of(metadata, "channels", 1, 3);
  config.model.label_count = label_count;
  return config;
}

/// The tensors of each network by checkpoint file.
using Networks = std::map<std::string, NamedTensors>;

void warn_of_rest(const TorchFile& content, const Networks& networks,
                  const std::filesystem::path& from) {
  std::size_t used = 0;
  for (const auto& [file, tensors] : networks) used += tensors.size();
  const std::size_t unused = content.tensors.size() - used;
  if (unused + content.others.size() > 0) {
    log::warning("Left out what is not under G, D or G_ema",
                 {{"from", from}, {"tensors", unused}, {"other_values", content.others.size()}});
  }
}

/// Returns the networks of a file: what is under their names, or all of it as a generator.
Networks networks_in(const TorchFile& content, const std::filesystem::path& from) {
  const NamedTensors& tensors = content.tensors;
  Networks networks;
  for (const auto& [file, prefix] : kPrefixes) {
    auto of_network = with_prefix(tensors, prefix);
    if (!of_network.empty()) networks.emplace(file, std::move(of_network));
  }
  if (networks.empty()) networks.emplace("generator_ema", tensors);
  warn_of_rest(content, networks, from);
  if (!networks.contains("generator_ema")) {
    if (!networks.contains("generator"))
      throw DataError("the file has no generator (G or G_ema): " + from.string());
    networks.emplace("generator_ema", networks.at("generator"));
  }
  networks.emplace("generator", networks.at("generator_ema"));
  if (!networks.contains("discriminator"))
    log::warning("The file has no discriminator (D); its weights are initialized",
                 {{"from", from}});
  return networks;
}

void require_new(const RunFolder& run) {
  if (std::filesystem::exists(run.config()))
    throw ConfigError("this folder already contains a run: " + run.root().string());
}

/// Copies the weights of a file into all networks of a replica.
void load_networks(Replica& replica, const Networks& networks, const std::filesystem::path& from) {
  const auto state = replica.state();
  for (const auto& [file, prefix] : kPrefixes) {
    const auto found = networks.find(file);
    if (found != networks.end())
      copy_into(state.at(file), found->second, from.string() + ": " + prefix);
  }
  for (const OtherAverage& other : replica.average().others())
    copy_into(named_state(*other.generator), networks.at("generator_ema"), from.string());
}

/// named: where the configuration names the model.
void write_run(const RunConfig& config, const config::Location& named, const Networks& networks,
               const std::filesystem::path& from, const RunFolder& run) {
  Replica replica(config, at::kCPU, ReplicaGroups{});
  try {
    load_networks(replica, networks, from);
  } catch (const DataError& error) {
    throw DataError(std::string(error.what()) + "; compared with the networks of " + named.text() +
                    ": model.name " + config.model.name + ", model.resolution " +
                    short_text_of(config.model.resolution) +
                    "; use the keys of model with which the weights were trained");
  }
  run.create();
  const RunFacts facts{.model = config.model.name,
                       .label_count = config.model.label_count,
                       .channels = config.model.channels};
  checkpoint::write_checkpoint(run.root(), make_snapshot(replica.state(), facts, {}));
  // Last: a folder that has it is in use.
  files::write_file_atomically(run.config(), config.resolved);
}

}  // namespace

void import_weights(const std::filesystem::path& from, const RunFolder& run) {
  const auto weights = checkpoint::read_safetensors(from);
  const models::Model& model = model_of(weights.metadata, from);
  require_new(run);
  const TorchFile content{.tensors = weights.tensors, .others = {}};
  write_run(config_of(model, weights.metadata), own_keys(), networks_in(content, from), from, run);
}

void import_weights(const std::filesystem::path& from, const RunConfig& config,
                    const config::Location& named, const RunFolder& run) {
  require_new(run);
  const TorchFile content = is_torch_file(from)
                                ? read_torch_file(from)
                                : TorchFile{checkpoint::read_safetensors(from).tensors, {}};
  write_run(config, named, networks_in(content, from), from, run);
}

}  // namespace ganscale::training
