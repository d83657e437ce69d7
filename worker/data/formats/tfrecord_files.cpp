#include "data/formats/tfrecord_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "base/error.h"
#include "data/formats/shard_files.h"
#include "data/storage/storage.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

constexpr int kNoLevel = -1;

struct Shard {
  std::string name;
  int level = kNoLevel;
  int number = 0;
  int count = 1;
  fs::path file;
};

std::optional<Shard> parse_name(const fs::path& file) {
  static const std::regex kName(
      R"((.+?)(?:-r([0-9]{2}))?(?:-([0-9]{5})-of-([0-9]{5}))?\.tfrecords?(?:\.gz)?)");
  std::smatch parts;
  const std::string text = file.filename().string();
  if (!std::regex_match(text, parts, kName)) return std::nullopt;
  Shard shard{.name = parts[1], .file = file};
  if (parts[2].matched) shard.level = std::stoi(parts[2]);
  if (parts[3].matched) {
    shard.number = std::stoi(parts[3]);
    shard.count = std::stoi(parts[4]);
  }
  return shard;
}

std::optional<fs::path> labels_of(const fs::path& folder, const std::string& name) {
  for (const char* ending : {"-rxx.labels", ".labels"}) {
    const fs::path file = folder / (name + ending);
    if (storage_of(file).is_file(file)) return file;
  }
  return std::nullopt;
}

using Set = std::pair<const std::string, std::vector<Shard>>;  // its name

/// The datasets in a folder, by name.
std::map<std::string, std::vector<Shard>> sets_of(const fs::path& folder) {
  std::map<std::string, std::vector<Shard>> sets;
  const Storage& storage = storage_of(folder);
  if (!storage.is_folder(folder)) return sets;
  for (const ListedFile& file : storage.files_in(folder)) {
    auto shard = parse_name(file.path);
    if (!shard) continue;
    require_target(file);
    sets[shard->name].push_back(std::move(*shard));
  }
  return sets;
}

bool is_level(int level) { return level >= 0 && level < 31; }

int choose_level(const std::vector<Shard>& shards, int resolution) {
  int highest = kNoLevel;
  for (const Shard& shard : shards) {
    const bool asked = is_level(shard.level) && (1 << shard.level) == resolution;
    if (asked) return shard.level;
    highest = std::max(highest, shard.level);
  }
  return highest;
}

/// Returns the shards of a level in order. Throws unless each exists exactly once.
std::vector<fs::path> in_order(std::vector<Shard> shards, int level) {
  std::erase_if(shards, [&](const Shard& shard) { return shard.level != level; });
  std::ranges::sort(shards, {}, &Shard::number);
  std::vector<fs::path> files;
  for (const Shard& shard : shards) {
    const int expected = static_cast<int>(files.size());
    if (shard.count != shards.front().count || shard.number < expected) {
      throw DataError("duplicate shard, or shards of two datasets: " + shard.file.string());
    }
    if (shard.number > expected) break;
    files.push_back(shard.file);
  }
  if (static_cast<int>(files.size()) != shards.front().count) {
    refuse_missing_shard(static_cast<int>(files.size()), shards.front().count, shards.front().file);
  }
  return files;
}

TfrecordFiles files_of_one(const Shard& shard) {
  TfrecordFiles files{.shards = {shard.file},
                      .labels = labels_of(shard.file.parent_path(), shard.name)};
  if (shard.count > 1 && files.labels) {
    throw DataError("file is one shard of a labeled set; open its folder instead: " +
                    shard.file.string());
  }
  return files;
}

/// Returns the only dataset in a folder, or the one named folder/NAME.
std::optional<Set> find_set(const fs::path& path) {
  const bool is_folder = storage_of(path).is_folder(path);
  const fs::path folder = is_folder ? path : path.parent_path();
  auto sets = sets_of(folder.empty() ? "." : folder);
  if (!is_folder) {
    std::erase_if(sets, [&](const auto& set) { return set.first != path.filename(); });
  }
  if (sets.empty()) return std::nullopt;
  if (sets.size() > 1) {
    std::string names;
    for (const auto& [name, shards] : sets) names += " " + (folder / name).string();
    throw DataError("folder contains several TFRecord sets; name one of:" + names);
  }
  return *sets.begin();
}

}  // namespace

std::optional<TfrecordFiles> find_tfrecord_files(const fs::path& path, int resolution) {
  if (storage_of(path).is_file(path)) {
    const auto named = parse_name(path);
    return named ? std::optional(files_of_one(*named)) : std::nullopt;
  }
  const auto found = find_set(path);
  if (!found) return std::nullopt;
  const auto& [name, shards] = *found;
  return TfrecordFiles{.shards = in_order(shards, choose_level(shards, resolution)),
                       .labels = labels_of(shards.front().file.parent_path(), name)};
}

std::vector<int> tfrecord_resolutions(const fs::path& path) {
  const auto found = storage_of(path).is_file(path) ? std::nullopt : find_set(path);
  if (!found) return {};
  std::set<int, std::greater<>> resolutions;
  for (const Shard& shard : found->second) {
    if (is_level(shard.level)) resolutions.insert(1 << shard.level);
  }
  return {resolutions.begin(), resolutions.end()};
}

std::string tfrecord_name(const std::string& name, int level, int shard, int shard_count) {
  if (shard_count == 1) return fmt::format("{}-r{:02}.tfrecords", name, level);
  return fmt::format("{}-r{:02}-{:05}-of-{:05}.tfrecords", name, level, shard, shard_count);
}

}  // namespace ganscale::data
