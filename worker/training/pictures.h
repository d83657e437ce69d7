#pragma once

#include <memory>

#include "data/decode.h"
#include "data/source.h"
#include "training/run_config.h"
#include "training/run_snapshot.h"

namespace ganscale::training {

/// The pictures of a run and how they are decoded.
struct Pictures {
  std::unique_ptr<data::Source> source;
  data::DecodePolicy policy;
  RunFacts facts;
};

/// Opens the data set of a run, and fills in what only the data can tell of its model: channels and
/// number of labels. Throws DataError, ConfigError.
Pictures open_pictures(RunConfig& config);

}  // namespace ganscale::training
