#include "telemetry/locked_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "telemetry/registry.h"

namespace ganscale::telemetry {
namespace {

TEST(LockedMemory, IsTooSmallForRdmaUnderALimitThatHoldsAlone) {
  EXPECT_TRUE(is_too_small({.has_rdma_devices = true, .is_limited = true}));
  // No RDMA: NCCL would use TCP in any case.
  EXPECT_FALSE(is_too_small({.has_rdma_devices = false, .is_limited = true}));
  // A container runtime with LimitMEMLOCK=infinity.
  EXPECT_FALSE(is_too_small({.has_rdma_devices = true, .is_limited = false}));
  // Root with IPC_LOCK, whose limit stays as it is.
  EXPECT_FALSE(
      is_too_small({.has_rdma_devices = true, .is_limited = true, .may_exceed_limit = true}));
}

TEST(LockedMemory, IsTheLimitOfThisProcess) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &before), 0);
  const rlimit lower{std::min<rlim_t>(before.rlim_cur, 65536), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &lower), 0);
  EXPECT_TRUE(locked_memory().is_limited);
  setrlimit(RLIMIT_MEMLOCK, &before);
}

TEST(LockedMemory, IsReportedByEveryRankFromItsStart) {
  const Registry registry(RegistryOptions{});
  for (const Family& family : registry.collect()) {
    if (family.name != "ganscale_memlock_too_small") continue;
    EXPECT_EQ(family.samples.at(0).value, is_too_small(locked_memory()) ? 1 : 0);
    return;
  }
  FAIL() << "it is not reported";
}

}  // namespace
}  // namespace ganscale::telemetry
