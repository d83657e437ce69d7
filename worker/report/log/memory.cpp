#include "report/log/memory.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace ganscale::report {

std::int64_t parse_status_bytes(std::string_view status, std::string_view field) {
  const auto key = std::string(field) + ":";
  auto at = status.find(key);
  while (at != std::string_view::npos && at > 0 && status[at - 1] != '\n') {
    at = status.find(key, at + 1);
  }
  if (at == std::string_view::npos) return 0;
  const auto digits = status.find_first_of("0123456789", at);
  if (digits == std::string_view::npos) return 0;
  std::int64_t kibibytes = 0;
  std::from_chars(status.data() + digits, status.data() + status.size(), kibibytes);
  return kibibytes * 1024;
}

std::int64_t resident_memory_bytes() {
  std::ifstream file("/proc/self/status");
  const std::string status{std::istreambuf_iterator<char>(file), {}};
  return parse_status_bytes(status, "VmRSS");
}

}  // namespace ganscale::report
