#include "base/host.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace ganscale {
namespace {

constexpr size_t kBufferBytes = 8 << 20;
constexpr size_t kBuffers = 5;
constexpr size_t kPageBytes = 4096;

/// Writes to every page of five buffers that are in use together, as a training step does.
void use_buffers() {
  std::vector<std::unique_ptr<char[]>> buffers(kBuffers);
  for (auto& buffer : buffers) {
    buffer = std::make_unique_for_overwrite<char[]>(kBufferBytes);
    std::memset(buffer.get(), 1, kBufferBytes);
  }
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(HostMemoryTest, PagesOfFreedBuffersAreUsedAgain) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have their own allocator";
#endif
  keep_freed_host_memory();
  use_buffers();
  const long before = page_faults();
  use_buffers();
  EXPECT_LT(page_faults() - before, static_cast<long>(kBuffers * kBufferBytes / kPageBytes / 10));
}

TEST(OpenFileLimit, IsRaisedAsFarAsTheProcessMayAndIsUseful) {
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit low{.rlim_cur = std::min<rlim_t>(64, usual.rlim_max), .rlim_max = usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  raise_open_file_limit();
  rlimit raised{};
  getrlimit(RLIMIT_NOFILE, &raised);
  setrlimit(RLIMIT_NOFILE, &usual);
  EXPECT_EQ(raised.rlim_cur, std::min<rlim_t>(usual.rlim_max, 65'536));
  EXPECT_EQ(raised.rlim_max, usual.rlim_max);
}

TEST(EnvironmentVariable, IsTheFirstThatIsSetAndNotEmpty) {
  unsetenv("GANSCALE_TEST_A");
  setenv("GANSCALE_TEST_B", "", /*overwrite=*/1);
  setenv("GANSCALE_TEST_C", "c", /*overwrite=*/1);
  EXPECT_EQ(environment_variable({"GANSCALE_TEST_A", "GANSCALE_TEST_B", "GANSCALE_TEST_C"}), "c");
  EXPECT_EQ(environment_variable({"GANSCALE_TEST_A", "GANSCALE_TEST_B"}), "");
}

}  // namespace
}  // namespace ganscale
