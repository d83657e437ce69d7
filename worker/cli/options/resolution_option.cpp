#include "cli/options/resolution_option.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/joined.h"
#include "cli/options/number_checks.h"
#include "data/formats/tfrecord_files.h"
#include "data/sources/open_source.h"

namespace ganscale::cli {

void add_resolution_option(CLI::App& verb, int& resolution, const char* description) {
  verb.add_option("--resolution", resolution, description)->check(positive_integer);
}

std::unique_ptr<data::Source> open_in_resolution(const std::filesystem::path& path,
                                                 int resolution) {
  auto source = data::open_source(path, resolution);
  if (resolution == 0) return source;
  const std::vector<int> there = data::tfrecord_resolutions(path);
  if (std::ranges::find(there, resolution) != there.end()) return source;
  if (there.empty()) {
    throw UsageError(
        "--resolution: this dataset has no resolutions to choose from; leave the option out: " +
        path.string());
  }
  const auto texts = there | std::views::transform([](int each) { return std::to_string(each); });
  throw UsageError("--resolution: this dataset has " + joined(texts) + ", not " +
                   std::to_string(resolution) + ": " + path.string());
}

}  // namespace ganscale::cli
