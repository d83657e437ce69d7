#include "base/error.h"

namespace ganscale {

void check(bool ok, std::string_view why, std::source_location at) {
  if (ok) return;
  throw Error(ExitCode::kBug,
              std::string(why) + ": " + at.file_name() + ":" + std::to_string(at.line()));
}

}  // namespace ganscale
