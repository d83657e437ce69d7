#pragma once

#include <memory>

#include "data/image/decode.h"
#include "data/sources/source.h"
#include "training/phases/run_snapshot.h"
#include "training/run/run_config.h"

namespace ganscale::training {

/// The images of a run and how they are decoded.
struct Dataset {
  std::unique_ptr<data::Source> source;
  data::DecodePolicy policy;
  RunFacts facts;
};

/// Opens the data set of a run, and fills in what only the data can tell of its model: channels and
/// number of labels. Throws DataError, ConfigError.
Dataset open_dataset(RunConfig& config);

}  // namespace ganscale::training
