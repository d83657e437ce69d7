#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace ganscale::data {

/// Returns the files of a dataset that is in several: those in a folder with this extension (".tar"),
/// sorted, or those that a pattern with it names, such as `train-{000..146}.tar`. Empty if `from` is
/// neither.
///
/// Throws: DataError as expand_braces().
std::vector<std::filesystem::path> shard_files(const std::filesystem::path& from,
                                               std::string_view extension);

}  // namespace ganscale::data
