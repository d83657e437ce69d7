#include "data/parquet/parquet_files.h"

#include <algorithm>

#include "data/formats/shard_files.h"
#include "data/storage/storage.h"

namespace ganscale::data {
namespace {

constexpr char kExtension[] = ".parquet";

bool is_of_training(const std::filesystem::path& file) {
  return file.filename().string().starts_with("train");
}

}  // namespace

std::vector<std::filesystem::path> parquet_files(const std::filesystem::path& from) {
  const Storage& storage = storage_of(from);
  if (from.extension() == kExtension && storage.is_file(from)) return {from};
  auto files = shard_files(from, kExtension);
  if (storage.is_folder(from) && std::ranges::any_of(files, is_of_training))
    std::erase_if(files, [](const auto& file) { return !is_of_training(file); });
  return files;
}

}  // namespace ganscale::data
