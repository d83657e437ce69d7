#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/image/decode.h"
#include "data/image/source.h"

namespace ganscale::data {

/// Called with the number of records done, of the total.
using OnProgress = std::function<void(std::int64_t done, std::int64_t total)>;

struct ConvertOptions {
  std::filesystem::path to;  ///< folder of the new dataset; its files are named after it
  DecodePolicy policy;       ///< the sides of its resolution are powers of two
  int shards = 1;
  int threads = 1;
  std::int64_t most_refused = 0;  ///< number of refused images that is tolerated
  OnProgress on_progress = [](std::int64_t, std::int64_t) {};
};

struct Conversion {
  std::int64_t written = 0;
  std::int64_t size_bytes = 0;                ///< of the TFRecord files
  std::vector<std::filesystem::path> shards;  ///< in order
  std::vector<std::string> refused;           ///< "reason: file, record, offset"
  std::int64_t first_frames = 0;              ///< images from files with several frames or pages
};

/// Writes a dataset as TFRecord shards, which open_source() opens by their folder:
///
///   NAME-rNN[-SSSSS-of-NNNNN].tfrecords   shape and data (uint8 CHW), as StyleGAN2 reads them
///   NAME-rNN....tfrecords.index           the offsets of the records
///   NAME-rxx.labels, .label-names.json    one-hot labels and their names, if there are any
///
/// NAME is the folder's name without a final `.tfrecords`, and without dots that it begins with.
/// Records keep their order; shard s has the s-th part of them. Files are written under temporary
/// names, and renamed once all are on the disk; those that an interrupted conversion left in the
/// folder are removed.
///
/// Throws: DataError if the folder already has TFRecord files, the disk is full, no image is left,
///         or more than most_refused are refused, with their names; StorageError of a read;
///         ConfigError for invalid options, or if another conversion is writing to the folder.
Conversion convert(const Source& source, const ConvertOptions& options);

}  // namespace ganscale::data
