#include "files/append_line.h"

#include <string>

#include "files/append_file.h"
#include "files/atomic_file.h"

namespace ganscale::files {

void append_line(const std::filesystem::path& path, std::string_view line) {
  AppendFile file(path);
  const std::string before = read_file(path);
  const std::size_t end = before.rfind('\n') + 1;  // 0 without a line
  if (end < before.size()) file.truncate(end);
  file.append(std::string(line) + "\n");
}

}  // namespace ganscale::files
