#include "training/pictures.h"

#include "data/open_source.h"

namespace ganscale::training {

Pictures open_pictures(RunConfig& config) {
  Pictures pictures;
  pictures.source = data::open_source(config.data.path, config.model.resolution);
  pictures.policy = data::decode_policy(config.data, *pictures.source, config.model.resolution);
  config.model.channels = pictures.policy.channels;
  // An unconditional model does not look at the labels that the data may have.
  const auto label_count = data::used_label_count(config.data, *pictures.source);
  config.model.label_count = models::takes_labels(config.model) ? static_cast<int>(label_count) : 0;
  pictures.facts = {.model = config.model.name,
                    .record_count = pictures.source->record_count(),
                    .label_count = config.model.label_count,
                    .channels = config.model.channels};
  return pictures;
}

}  // namespace ganscale::training
