#include "files/remove_temporaries.h"

#include <string>
#include <string_view>
#include <system_error>

#include "base/log.h"

namespace ganscale::files {
namespace {

/// Whether temporary_beside() gave this name: to `name`, unless it is empty. Who writes a file under
/// another name first may have added that name's ending.
bool is_temporary(std::string temporary, std::string_view name) {
  constexpr std::string_view kPartial = ".partial";
  constexpr std::string_view kTemporary = ".tmp";
  constexpr std::size_t kRandomDigits = 16;
  if (temporary.ends_with(kPartial)) temporary.resize(temporary.size() - kPartial.size());
  if (!temporary.ends_with(kTemporary)) return false;
  const auto stem = temporary.substr(0, temporary.size() - kTemporary.size());
  const auto dot = stem.rfind('.');
  const auto digits = stem.substr(dot + 1);
  return (name.empty() || stem.substr(0, dot) == name) && digits.size() == kRandomDigits &&
         digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

void remove_temporaries(const std::filesystem::path& folder, std::string_view name) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (!is_temporary(entry->path().filename().string(), name)) continue;
    std::error_code reason;
    std::filesystem::remove(entry->path(), reason);
    if (reason) {
      log::warning("Cannot remove a temporary file",
                   {{"file", entry->path()}, {"reason", reason.message()}});
    }
  }
}

}  // namespace ganscale::files
