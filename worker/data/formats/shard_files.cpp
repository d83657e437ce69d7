#include "data/formats/shard_files.h"

#include <algorithm>

#include "data/formats/brace_pattern.h"
#include "data/storage/storage.h"

namespace ganscale::data {

namespace fs = std::filesystem;

std::vector<fs::path> shard_files(const fs::path& from, std::string_view extension) {
  std::vector<fs::path> files;
  const Storage& storage = storage_of(from);
  if (storage.is_folder(from)) {
    for (ListedFile& file : storage.files_in(from)) {
      if (file.path.extension() == extension) files.push_back(std::move(file.path));
    }
    std::ranges::sort(files);
  } else if (from.extension() == extension && !storage.is_file(from)) {
    const auto names = expand_braces(from.string());
    if (names.size() > 1) files.assign(names.begin(), names.end());
  }
  return files;
}

}  // namespace ganscale::data
