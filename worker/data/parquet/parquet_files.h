#pragma once

#include <filesystem>
#include <vector>

namespace ganscale::data {

/// Returns the Parquet files of a dataset: a `*.parquet` file, all files of a folder, sorted, or
/// the files that a pattern such as `train-{00000..00003}-of-00004.parquet` names. Of a folder in
/// which some names begin with `train`, only these: the others are other splits. Empty if `from` is
/// none of this.
std::vector<std::filesystem::path> parquet_files(const std::filesystem::path& from);

}  // namespace ganscale::data
