#pragma once

#include <filesystem>

namespace ganscale::files {

/// Returns the user's cache folder for ganscale, which need not exist:
/// `${XDG_CACHE_HOME:-~/.cache}/ganscale`, as the XDG Base Directory Specification says: an empty
/// XDG_CACHE_HOME counts as unset. Without a HOME it is in /tmp.
std::filesystem::path cache_folder();

}  // namespace ganscale::files
