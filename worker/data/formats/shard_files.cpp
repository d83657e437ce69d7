#include "data/formats/shard_files.h"

#include <algorithm>

#include "data/formats/brace_pattern.h"

namespace ganscale::data {

namespace fs = std::filesystem;

std::vector<fs::path> shard_files(const fs::path& from, std::string_view extension) {
  std::vector<fs::path> files;
  if (fs::is_directory(from)) {
    for (const auto& entry : fs::directory_iterator(from)) {
      if (entry.is_regular_file() && entry.path().extension() == extension)
        files.push_back(entry.path());
    }
    std::ranges::sort(files);
  } else if (from.extension() == extension && !fs::exists(from)) {
    const auto names = expand_braces(from.string());
    if (names.size() > 1) files.assign(names.begin(), names.end());
  }
  return files;
}

}  // namespace ganscale::data
