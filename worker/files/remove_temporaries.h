#pragma once

#include <filesystem>
#include <string_view>

namespace ganscale::files {

/// Removes what killed processes left in a folder of files that they were writing atomically, under
/// names of temporary_beside(). No process may be writing one there. Logs what can't be removed.
/// name: of the file whose temporary ones are meant; empty: all.
void remove_temporaries(const std::filesystem::path& folder, std::string_view name = "");

}  // namespace ganscale::files
