#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace ganscale::data {

/// Returns the files of a dataset that is in several: those in a folder with this extension (".tar"),
/// sorted, or those that a pattern with it names, such as `train-{000..146}.tar`. Empty if `from` is
/// neither.
///
/// split:  of a folder in which some of these names begin with it, only these are taken: the others
///         are of other splits.
/// Throws: DataError as expand_braces(); of a folder if a file is a broken link, or if files are
///         numbered as in NAME-00000-of-00005.tar and one of these is missing.
std::vector<std::filesystem::path> shard_files(const std::filesystem::path& from,
                                               std::string_view extension,
                                               std::string_view split = "");

/// Throws the DataError for a shard that is missing. number: from 0 on. beside: another shard.
[[noreturn]] void refuse_missing_shard(int number, int count, const std::filesystem::path& beside);

}  // namespace ganscale::data
