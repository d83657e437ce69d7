#pragma once

#include <filesystem>

namespace ganscale::files {

/// Removes what killed processes left in a folder of files that they were writing atomically, under
/// names of temporary_beside(). No process may be writing one there. Logs what can't be removed.
void remove_temporaries(const std::filesystem::path& folder);

}  // namespace ganscale::files
