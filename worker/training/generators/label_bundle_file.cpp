#include "training/generators/label_bundle_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "checkpoint/reader.h"
#include "checkpoint/safetensors.h"
#include "config/renamed.h"
#include "config/units.h"
#include "tensors/with_prefix.h"
#include "training/generators/label_bundle_metadata.h"
#include "training/generators/label_state.h"
#include "training/run/parse_run.h"

namespace ganscale::training {
namespace {

std::string prefix_of(std::int64_t label) { return "label_" + std::to_string(label) + "."; }

/// Returns the averaged generator of a label's newest checkpoint.
NamedTensors newest_weights(const std::filesystem::path& folder) {
  const auto newest = checkpoint::newest_valid_checkpoint(folder);
  if (!newest) throw DataError("a trained label has no checkpoint: " + folder.string());
  auto snapshot = checkpoint::load_checkpoint(*newest);
  return std::move(snapshot.files.at("generator_ema"));
}

/// Returns p(y) over the labels that have a generator.
std::vector<double> probabilities(const std::vector<LabelState>& states,
                                  const std::vector<std::int64_t>& records_of_label) {
  std::vector<double> result(records_of_label.size());
  double total = 0;
  for (const auto& state : states)
    total += state.is_trained() ? static_cast<double>(state.records) : 0;
  for (const auto& state : states) {
    if (!state.is_trained()) continue;
    result[static_cast<std::size_t>(state.label)] = static_cast<double>(state.records) / total;
  }
  return result;
}

/// Returns the names of all labels; none if no label has one.
std::vector<std::string> names(const std::vector<LabelState>& states, std::size_t label_count) {
  std::vector<std::string> result(label_count);
  for (const auto& state : states) result[static_cast<std::size_t>(state.label)] = state.name;
  const bool is_named = std::ranges::any_of(result, [](const auto& name) { return !name.empty(); });
  return is_named ? result : std::vector<std::string>();
}

}  // namespace

void write_label_bundle(const RunFolder& run, const RunConfig& config,
                        const std::vector<LabelState>& states,
                        const std::vector<std::int64_t>& records_of_label) {
  NamedTensors tensors;
  std::int64_t images_seen = 0;
  for (const auto& state : states) {
    if (!state.is_trained()) continue;
    insert_with_prefix(tensors, prefix_of(state.label),
                       newest_weights(label_folder(run, state.label)));
    images_seen += state.images_seen;
  }
  checkpoint::write_safetensors(
      run.bundle(), tensors,
      {{"kind", kLabelBundleKind},
       {"config", valid_utf8(config.resolved)},  // paths need not be UTF-8
       {"channels", std::to_string(config.model.channels)},
       {"label_count", std::to_string(records_of_label.size())},
       {"label_probabilities", nlohmann::json(probabilities(states, records_of_label)).dump()},
       {"label_names", nlohmann::json(names(states, records_of_label.size())).dump()},
       {"images_seen", std::to_string(images_seen)}});
}

LabelBundleFile read_label_bundle(const std::filesystem::path& path) {
  const auto file = checkpoint::read_safetensors(path);
  LabelBundleMetadata metadata = parse_label_bundle_metadata(file.metadata, path);
  LabelBundleFile result;
  result.config =
      parse_run(config::with_new_names(config::parse_yaml(metadata.config, path.string())));
  result.config.model.channels = metadata.channels;
  result.config.model.compute_in_float32();
  result.label_probabilities = std::move(metadata.label_probabilities);
  result.label_names = std::move(metadata.label_names);
  result.images_seen = metadata.images_seen;
  std::map<std::int64_t, std::shared_ptr<models::Generator>> generators;
  const auto label_count = static_cast<std::int64_t>(result.label_probabilities.size());
  for (std::int64_t label = 0; label < label_count; ++label) {
    const auto tensors = with_prefix(file.tensors, prefix_of(label));
    if (tensors.empty()) continue;
    auto generator = models::build_generator(result.config.model, /*seed=*/std::nullopt, nullptr);
    copy_into(named_state(*generator), tensors, path.string() + ", label " + std::to_string(label));
    generators.emplace(label, std::move(generator));
  }
  if (generators.empty()) throw DataError("the bundle contains no generator: " + path.string());
  result.generator =
      std::make_shared<models::LabelBundle>(generators, static_cast<int>(label_count));
  return result;
}

}  // namespace ganscale::training
