#pragma once

#include "comm/group/group.h"
#include "data/image/decode.h"
#include "data/image/source.h"
#include "data/sources/subset_source.h"
#include "metrics/evaluate_config.h"
#include "metrics/feature_stats.h"

namespace ganscale::training {

/// The real images that generated ones are compared with.
struct RealImages {
  const data::Source& source;
  data::DecodePolicy policy;
  std::int64_t count = source.record_count();  ///< of records that are compared with
  std::string digest = {};                     ///< data_digest(); of real_statistics() only

  /// Returns the record of image i of `count`.
  std::int64_t record(std::int64_t i) const {
    return data::evenly_spaced(i, source.record_count(), count);
  }
};

/// Returns the SHA-256 of all records and labels of a dataset. The ranks share the reading; the
/// result does not depend on their number. Throws DataError.
std::string data_digest(const data::Source& source, comm::Group& group);

/// Decodes records into [N, C, H, W] uint8 on this rank's CPU threads. Throws DataError with the
/// record.
at::Tensor decode_records(const RealImages& real, const std::vector<std::int64_t>& records);

/// Returns the feature statistics of the real images, computed by all ranks.
///
/// They are cached in the folder config.cache, in a file named after what they depend on: the
/// dataset's content, the number of its images, the network's SHA-256, the images' resolution and
/// preprocessing. Files are written atomically, so that several runs may write the same one; a
/// damaged one is recomputed. Rank 0 reads it for all ranks. If the folder cannot be written, there
/// is a warning.
metrics::FeatureStats real_statistics(const RealImages& real, metrics::OpenFeatureNet& net,
                                      metrics::Needs needs, const metrics::EvaluateConfig& config,
                                      comm::Group& group);

}  // namespace ganscale::training
