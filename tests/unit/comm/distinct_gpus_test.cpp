#include "comm/distinct_gpus.h"

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::comm {
namespace {

/// Has the ranks of a group find that these are their GPUs.
void have_gpus(const std::vector<std::uint8_t>& last_bytes) {
  run_ranks(static_cast<int>(last_bytes.size()), [&](Group& group) {
    device::GpuId gpu{0x47, 0x50, 0x55};
    gpu.back() = last_bytes[static_cast<std::size_t>(group.rank())];
    require_distinct_gpus(group, gpu);
  });
}

TEST(RequireDistinctGpus, AcceptsAGpuForEachRank) { EXPECT_NO_THROW(have_gpus({1, 2, 3, 4})); }

TEST(RequireDistinctGpus, NamesTheRanksThatShareOne) {
  expect_error(ExitCode::kConfig, "start one rank per GPU", [] { have_gpus({7, 7}); });
  expect_error(ExitCode::kConfig, ": ranks 1, 3", [] { have_gpus({1, 2, 3, 2}); });
}

}  // namespace
}  // namespace ganscale::comm
