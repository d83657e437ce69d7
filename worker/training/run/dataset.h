#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/image/decode.h"
#include "data/image/source.h"
#include "data/loader/data_config.h"
#include "models/build_model.h"
#include "training/run/run_facts.h"

namespace ganscale::training {

/// The dataset of a run and how its images are decoded.
struct Dataset {
  std::unique_ptr<data::Source> source;
  data::DecodePolicy policy;
  RunFacts facts;
  std::string unread_images = {};  ///< see data::unread_images()
  data::ImageBlocks image_blocks = {};
};

/// Opens the dataset of a run and completes the configuration of its model: channels and number of
/// labels. Throws DataError, ConfigError.
Dataset open_dataset(const data::DataConfig& config, models::ModelConfig& model);

/// Returns the names of a dataset's labels as checkpoints have them, in UTF-8; empty without names.
std::vector<std::string> label_names(const data::Source& source);

/// Logs warnings of what a run leaves out of its dataset, unless the configuration says so: images that
/// nothing here reads, and labels that the model does not take. Also of a dataset that is slow to read in
/// random order.
///
/// makes_labels: Scheme::makes_labels(), which uses the labels whatever the model is.
void warn_of_unused_data(const data::DataConfig& config, const models::ModelConfig& model,
                         const Dataset& dataset, bool makes_labels);

}  // namespace ganscale::training
