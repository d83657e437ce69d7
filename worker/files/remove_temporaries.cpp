#include "files/remove_temporaries.h"

#include <string>
#include <string_view>
#include <system_error>

#include "base/log.h"

namespace ganscale::files {
namespace {

/// Whether temporary_beside() gave this name.
bool is_temporary(const std::string& name) {
  constexpr std::string_view kTemporary = ".tmp";
  constexpr std::size_t kRandomDigits = 16;
  if (!name.ends_with(kTemporary)) return false;
  const auto stem = name.substr(0, name.size() - kTemporary.size());
  const auto digits = stem.substr(stem.rfind('.') + 1);
  return digits.size() == kRandomDigits &&
         digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

void remove_temporaries(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code reason;
    if (is_temporary(entry->path().filename().string()) &&
        !std::filesystem::remove(entry->path(), reason)) {
      log::warning("Cannot remove a temporary file",
                   {{"file", entry->path()}, {"reason", reason.message()}});
    }
  }
}

}  // namespace ganscale::files
