#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "config/section.h"
#include "data/image/decode.h"
#include "data/image/source.h"
#include "data/loader/shard_plan.h"
#include "data/storage/storage.h"

namespace ganscale::data {

/// How the run uses the labels of its dataset.
enum class Labels { kAuto, kRequired, kIgnore };

/// The color channels of the run's images.
enum class Channels {
  kKeep,  ///< as in the first record; records that differ are refused
  kGray,
  kRgb,
};

/// How far ahead batches are read.
struct PrefetchConfig {
  int reader_threads = 0;  ///< while storage is not congested; 0: as many as needed
  int thread_limit = 0;    ///< while it is; 0: as many as make up for reads 20 times as slow
  int batches = 3;
  std::int64_t memory_limit_bytes = std::int64_t{4} << 30;
  bool congestion_aware = true;
};

/// Where records are kept on this node.
struct CacheConfig {
  std::string folder;  ///< empty: nowhere
  std::int64_t limit_bytes = std::int64_t{64} << 30;
};

/// The section `data` of the configuration.
struct DataConfig {
  std::string path;
  Labels labels = Labels::kAuto;
  bool mirror = false;
  bool shuffle = true;
  Sharding shard = Sharding::kShuffled;
  int read_attempts = 6;
  Fit fit = Fit::kRefuse;
  Channels channels = Channels::kKeep;
  std::array<std::uint8_t, 3> background = {255, 255, 255};
  PrefetchConfig prefetch;
  CacheConfig cache;
};

/// Reads the section. Throws ConfigError.
DataConfig parse_data(config::Section in);

/// Returns how to decode the images of a source for a run of this resolution. Its channels are
/// the networks'.
///
/// most_damaged: how many records may be damaged before the one whose channels are kept.
/// Throws:       DataError of one of them if they are more; StorageError of a read: then the
///               storage failed.
DecodePolicy decode_policy(const DataConfig& config, const Source& source,
                           const Resolution& resolution, std::int64_t most_damaged = 0);

/// Returns the number of labels that the run uses; 0 for an unconditional one. Throws DataError if
/// labels are required and the source has none.
std::int64_t used_label_count(const DataConfig& config, const Source& source);

}  // namespace ganscale::data
