#include "training/run/dataset.h"

#include <random>

#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "data/sources/open_source.h"
#include "data/sources/retrying_source.h"

namespace ganscale::training {
namespace {

/// Returns p(y) of the dataset; nothing without labels.
std::vector<double> label_probabilities(const data::Source& source, int label_count) {
  std::vector<double> result(static_cast<std::size_t>(label_count));
  if (result.empty()) return result;
  for (std::int64_t i = 0; i < source.record_count(); ++i) {
    result[static_cast<std::size_t>(source.label(i))] += 1;
  }
  for (double& share : result) share /= static_cast<double>(source.record_count());
  return result;
}

}  // namespace

Dataset open_dataset(const data::DataConfig& config, models::ModelConfig& model) {
  if (config.path.empty()) {
    throw ConfigError(
        "data.path is not set: name a folder or file of images, as in --set data.path=faces or "
        "train --data faces");
  }
  Dataset dataset;
  auto opened = data::open_source(config.path, model.resolution.shorter_side());
  dataset.unread_images = data::unread_images(*opened);
  dataset.image_blocks = opened->image_blocks();
  dataset.source = std::make_unique<data::RetryingSource>(
      std::move(opened),
      data::RetryPolicy{.attempts = config.read_attempts, .seed = std::random_device()()});
  dataset.policy = data::decode_policy(config, *dataset.source, model.resolution);
  model.channels = dataset.policy.channels;
  // An unconditional model does not look at the labels that the data may have.
  const auto label_count = data::used_label_count(config, *dataset.source);
  model.label_count = models::takes_labels(model) ? static_cast<int>(label_count) : 0;
  dataset.facts = {.model = model.name,
                   .record_count = dataset.source->record_count(),
                   .label_count = model.label_count,
                   .channels = model.channels,
                   .label_probabilities = label_probabilities(*dataset.source, model.label_count)};
  if (model.label_count > 0) dataset.facts.label_names = label_names(*dataset.source);
  return dataset;
}

std::vector<std::string> label_names(const data::Source& source) {
  std::vector<std::string> names = source.label_names();
  for (std::string& name : names) name = valid_utf8(name);
  return names;
}

void warn_of_unused_data(const data::DataConfig& config, const models::ModelConfig& model,
                         const Dataset& dataset, bool makes_labels) {
  data::warn_of_unread_images(dataset.unread_images);
  data::warn_of_slow_shuffling(dataset.image_blocks);
  const bool ignores_labels =
      config.labels == data::Labels::kAuto && !makes_labels && !models::takes_labels(model);
  if (!ignores_labels || dataset.source->label_count() == 0) return;
  const bool could_take = model.traits.labels == models::Labels::kOptional;
  log::warning(std::string("The model ignores the labels of the dataset; ") +
                   (could_take ? "set model.conditional: true to use them, or " : "set ") +
                   "data.labels: ignore to silence this warning",
               {{"model", model.name}, {"labels", dataset.source->label_count()}});
}

}  // namespace ganscale::training
