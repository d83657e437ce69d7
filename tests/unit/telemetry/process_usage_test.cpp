#include "telemetry/process_usage.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <vector>

namespace ganscale::telemetry {
namespace {

TEST(ProcessUsage, CountsTheTimeThatAProcessComputes) {
  const double before = process_usage(getpid())->cpu_seconds;
  // clock() is the same CPU time by another road.
  while (std::clock() < static_cast<std::clock_t>((before + 0.2) * CLOCKS_PER_SEC)) {
  }
  EXPECT_GE(process_usage(getpid())->cpu_seconds - before, 0.1);
}

TEST(ProcessUsage, CountsTheMemoryThatAProcessTouches) {
  constexpr std::size_t kBytes = 64 << 20;
  const double before = process_usage(getpid())->resident_memory_bytes;
  const std::vector<char> touched(kBytes, 1);
  EXPECT_GE(process_usage(getpid())->resident_memory_bytes - before, 0.9 * kBytes);
  EXPECT_EQ(touched.back(), 1);
}

// The name stands in /proc/<process>/stat before the numbers, as it is.
TEST(ProcessUsage, IsNotMisledByTheNameOfTheProcess) {
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  prctl(PR_SET_NAME, "a) S 1 (b");
  const auto usage = process_usage(getpid());
  prctl(PR_SET_NAME, name);
  ASSERT_TRUE(usage);
  EXPECT_GT(usage->resident_memory_bytes, 1e6);
  EXPECT_LT(usage->cpu_seconds, 1e6);
}

TEST(ProcessUsage, OfAProcessThatIsGoneIsNothing) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(process_usage(child));
}

}  // namespace
}  // namespace ganscale::telemetry
