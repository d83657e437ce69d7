#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ganscale::data {

/// The files of a dataset in TFRecord format.
///
///   NAME-r05.tfrecords                    images of 2^5 x 2^5 (StyleGAN's multi-resolution set)
///   NAME-r05-00001-of-00004.tfrecords     the same in shards; records are numbered across them
///   NAME[-00001-of-00004].tfrecords       a single resolution that is not in the name
///   NAME-rxx.labels, NAME.labels          the labels, for all resolutions
///
/// Each may be gzipped (`.gz`) and end in `.tfrecord` instead of `.tfrecords`.
struct TfrecordFiles {
  std::vector<std::filesystem::path> shards;  ///< in order
  std::optional<std::filesystem::path> labels;
};

/// Finds the files of `path`: a file, a folder with one dataset, or `folder/NAME`. Returns nothing
/// if there are none.
///
/// resolution: which to take of several; if it is missing, or 0, the highest.
/// Throws: DataError if the folder has several datasets, a shard is missing or duplicated, or the
///         path is one shard of a labeled dataset, whose labels cannot be matched.
std::optional<TfrecordFiles> find_tfrecord_files(const std::filesystem::path& path, int resolution);

/// Returns the resolutions of a multi-resolution dataset, highest first; empty if `path` is not
/// one. Throws like find_tfrecord_files().
std::vector<int> tfrecord_resolutions(const std::filesystem::path& path);

/// Returns the file name of a shard, as above, without a number if there is only one. `level` is
/// log2 of the resolution (of the shorter side of images that are not squares).
std::string tfrecord_name(const std::string& name, int level, int shard, int shard_count);

}  // namespace ganscale::data
