#include "data/formats/shard_files.h"

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "data/formats/brace_pattern.h"
#include "data/storage/storage.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

/// The shards in a folder whose names begin alike and tell the same number of shards.
struct NumberedSet {
  std::set<int> numbers;
  fs::path first;
};

/// Throws if the files' names tell that there are more of them. `datasets` appends a hash.
void require_all_shards(const std::vector<fs::path>& files) {
  static const std::regex kNumbered("(.*)-([0-9]{5})-of-([0-9]{5})[-.].*");
  std::map<std::pair<std::string, int>, NumberedSet> sets;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    std::smatch parts;
    if (!std::regex_match(name, parts, kNumbered)) continue;
    auto& set = sets[{parts[1], std::stoi(parts[3])}];
    set.numbers.insert(std::stoi(parts[2]));
    if (set.first.empty()) set.first = file;
  }
  for (const auto& [name_and_count, set] : sets) {
    for (int number = 0; number < name_and_count.second; ++number) {
      if (!set.numbers.contains(number))
        refuse_missing_shard(number, name_and_count.second, set.first);
    }
  }
}

std::vector<fs::path> shards_in_folder(const fs::path& folder, std::string_view extension,
                                       std::string_view split) {
  auto listed = storage_of(folder).files_in(folder);
  const auto is_of_split = [&](const ListedFile& file) {
    return file.path.filename().string().starts_with(split);
  };
  std::erase_if(listed, [&](const auto& file) { return file.path.extension() != extension; });
  if (std::ranges::any_of(listed, is_of_split)) std::erase_if(listed, std::not_fn(is_of_split));
  std::vector<fs::path> files;
  for (ListedFile& file : listed) {
    require_target(file);
    files.push_back(std::move(file.path));
  }
  std::ranges::sort(files);
  require_all_shards(files);
  return files;
}

}  // namespace

std::vector<fs::path> shard_files(const fs::path& from, std::string_view extension,
                                  std::string_view split) {
  const Storage& storage = storage_of(from);
  if (storage.is_folder(from)) return shards_in_folder(from, extension, split);
  if (from.extension() != extension || storage.is_file(from)) return {};
  const auto names = expand_braces(from.string());
  if (names.size() < 2) return {};
  return {names.begin(), names.end()};
}

void refuse_missing_shard(int number, int count, const fs::path& beside) {
  throw DataError("shard is missing: number " + std::to_string(number) + " of " +
                  std::to_string(count) + " beside " + beside.string());
}

}  // namespace ganscale::data
