#include "cli/options/beside_program.h"

#include <system_error>

namespace ganscale::cli {

namespace fs = std::filesystem;

std::vector<fs::path> beside_program(std::initializer_list<const char*> places) {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<fs::path> found;
  for (const char* place : places) {
    const fs::path path = (bin / place).lexically_normal();
    if (fs::exists(path, error)) found.push_back(path);
  }
  return found;
}

}  // namespace ganscale::cli
