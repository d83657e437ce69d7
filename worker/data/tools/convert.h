#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/image/decode.h"
#include "data/sources/source.h"

namespace ganscale::data {

/// Tells how many records of how many are done.
using OnProgress = std::function<void(std::int64_t done, std::int64_t total)>;

struct ConvertOptions {
  std::filesystem::path to;  ///< folder of the new data set; its files are named after it
  DecodePolicy policy;       ///< resolution: a power of two
  int shards = 1;
  int threads = 1;
  std::int64_t most_refused = 0;  ///< images that may be refused before the whole is given up
  OnProgress on_progress = [](std::int64_t, std::int64_t) {};
};

struct Conversion {
  std::int64_t written = 0;
  std::int64_t size_bytes = 0;                ///< of the TFRecord files
  std::vector<std::filesystem::path> shards;  ///< in order
  std::vector<std::string> refused;           ///< "reason: file, record, offset"
};

/// Writes a data set as TFRecord shards, which open_source() opens by their folder:
///
///   NAME-rNN[-SSSSS-of-NNNNN].tfrecords   shape and data (uint8 CHW), as StyleGAN2 reads them
///   NAME-rNN....tfrecords.index           where each record begins
///   NAME-rxx.labels, .label-names.json    one-hot labels and their names, if there are any
///
/// NAME is the folder's name without an ending `.tfrecords`. Records keep their order; shard s has
/// the s-th part of them. Files are written under temporary names and renamed when all is done.
///
/// Throws: DataError when the folder holds TFRecord files already, the disk is full, no image is
///         left or more than most_refused are refused, naming them; ConfigError for impossible
///         options.
Conversion convert(const Source& source, const ConvertOptions& options);

}  // namespace ganscale::data
