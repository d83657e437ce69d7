#pragma once

#include <filesystem>
#include <initializer_list>
#include <vector>

namespace ganscale::cli {

/// Returns which of some paths exist: files that are installed with this program, or files of the
/// checkout that it was built in. places: relative to the folder of the program.
std::vector<std::filesystem::path> beside_program(std::initializer_list<const char*> places);

}  // namespace ganscale::cli
