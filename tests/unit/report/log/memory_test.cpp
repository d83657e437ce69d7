#include "report/log/memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace ganscale::report {
namespace {

TEST(Memory, ReadsTheFieldOfThatNameOnly) {
  constexpr std::string_view status = "Name:\tVmRSS: x\nXVmRSS:\t9 kB\nVmRSS:\t  1234 kB\n";
  EXPECT_EQ(parse_status_bytes(status, "VmRSS"), 1234 * 1024);
  EXPECT_EQ(parse_status_bytes(status, "VmHWM"), 0);
}

TEST(Memory, GrowsWithWhatTheProcessTouches) {
  const auto before = resident_memory_bytes();
  const std::vector<char> touched(64 << 20, 'x');
  EXPECT_GE(resident_memory_bytes() - before, 60 << 20) << touched.size();
}

}  // namespace
}  // namespace ganscale::report
