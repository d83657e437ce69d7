#pragma once

#include <filesystem>
#include <memory>

#include "data/image/source.h"

namespace CLI {
class App;
}

namespace ganscale::cli {

/// Adds --resolution, which takes one resolution of a dataset with several.
void add_resolution_option(CLI::App& verb, int& resolution, const char* description);

/// Opens a dataset; resolution 0: the highest of several. Throws as data::open_source(), and
/// UsageError with the resolutions of a dataset that lacks this one.
std::unique_ptr<data::Source> open_in_resolution(const std::filesystem::path& path, int resolution);

}  // namespace ganscale::cli
