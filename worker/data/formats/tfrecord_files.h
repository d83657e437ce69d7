#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ganscale::data {

/// The files of one data set in TFRecord format.
///
///   NAME-r05.tfrecords                    images of 2^5 x 2^5 (StyleGAN's multi-resolution set)
///   NAME-r05-00001-of-00004.tfrecords     the same in shards; records are counted through them
///   NAME[-00001-of-00004].tfrecords       a set of one resolution that the name does not tell
///   NAME-rxx.labels, NAME.labels          the labels, for all resolutions
///
/// Each may be gzip'ed (`.gz`), and `.tfrecord` is as good as `.tfrecords`.
struct TfrecordFiles {
  std::vector<std::filesystem::path> shards;  ///< in order
  std::optional<std::filesystem::path> labels;
};

/// Finds the files that `path` means: a file, a folder that holds one set, or `folder/NAME`;
/// nothing if it means none.
///
/// resolution: which to take of several; if it is not there, or 0, the highest.
/// Throws: DataError when the folder holds several sets, a shard is missing or there twice, or the
///         path is one shard of a labeled set, whose labels cannot be told alone.
std::optional<TfrecordFiles> find_tfrecord_files(const std::filesystem::path& path, int resolution);

/// Returns the resolutions of a set in several, the highest first; nothing if `path` means no such
/// set. Throws as find_tfrecord_files().
std::vector<int> tfrecord_resolutions(const std::filesystem::path& path);

/// Returns the file name of a shard, as above. `level` is log2 of the resolution; of one shard the
/// number is left out.
std::string tfrecord_name(const std::string& name, int level, int shard, int shard_count);

}  // namespace ganscale::data
