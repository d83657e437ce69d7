#pragma once

#include <memory>

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
};

/// Opens the dataset of a run and completes the configuration of its model: channels and number of
/// labels. Throws DataError, ConfigError.
Dataset open_dataset(const data::DataConfig& config, models::ModelConfig& model);

}  // namespace ganscale::training
