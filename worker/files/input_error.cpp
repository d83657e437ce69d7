#include "files/input_error.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace ganscale::files {

void fail_to_read(const std::filesystem::path& path, int reason) {
  const auto what = "can't read: " + path.string() + ": " + std::generic_category().message(reason);
  if (reason == ENOENT || reason == ENOTDIR) throw DataError(what);
  throw InputError(what);
}

bool is_missing(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found;
}

}  // namespace ganscale::files
