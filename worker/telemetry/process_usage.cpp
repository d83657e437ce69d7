#include "telemetry/process_usage.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace ganscale::telemetry {

std::optional<ProcessUsage> process_usage(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // proc(5): the second field is the name in parentheses, which may itself contain blanks and
  // parentheses.
  const auto bracket = line.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(bracket + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user_ticks = 0;
  double system_ticks = 0;
  fields >> user_ticks >> system_ticks;  // fields 14 and 15
  for (int field = 16; field < 24; ++field) fields >> skipped;
  double resident_pages = 0;
  if (!(fields >> resident_pages)) return std::nullopt;
  return ProcessUsage{
      (user_ticks + system_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK)),
      resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)),
  };
}

}  // namespace ganscale::telemetry
