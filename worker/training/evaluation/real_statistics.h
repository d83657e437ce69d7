#pragma once

#include "comm/group.h"
#include "data/image/decode.h"
#include "data/sources/source.h"
#include "metrics/evaluate_config.h"
#include "metrics/feature_stats.h"

namespace ganscale::training {

/// The images that generated ones are compared with, and the network that judges both.
struct RealImages {
  const data::Source& source;
  data::DecodePolicy policy;
};

/// Returns the SHA-256 of all records and labels of a data set, the same on any number of ranks,
/// which share out the reading. Throws DataError.
std::string data_digest(const data::Source& source, comm::Group& group);

/// Decodes records into [N, C, H, W] uint8, with this rank's CPU threads. Throws DataError that
/// names the record.
at::Tensor decode_records(const RealImages& real, const std::vector<std::int64_t>& records);

/// Returns what the network says of the whole data set, which all ranks judge together.
///
/// It is kept in the folder config.cache, in a file named after what it depends on: the data set's
/// content, the network's SHA-256, the images' resolution and how they are prepared. A file
/// appears as a whole, so that several runs may write it at once; a damaged one is made anew. Rank
/// 0 reads it for all ranks. A folder that cannot be written costs a warning.
metrics::FeatureStats real_statistics(const RealImages& real, metrics::OpenFeatureNet& net,
                                      metrics::Needs needs, const metrics::EvaluateConfig& config,
                                      comm::Group& group);

}  // namespace ganscale::training
