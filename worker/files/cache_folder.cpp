#include "files/cache_folder.h"

#include <cstdlib>

namespace ganscale::files {

namespace fs = std::filesystem;

fs::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return fs::path(cache) / "ganscale";
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/tmp") / ".cache" / "ganscale";
}

}  // namespace ganscale::files
