#include "comm/preflight/preflight.h"

#include <gmock/gmock.h>

#include <mutex>

#include "comm/backends/thread_group.h"
#include "comm/preflight/bandwidth.h"
#include "wire/names.h"

namespace ganscale::comm {
namespace {

using testing::HasSubstr;

TEST(BusBandwidth, IsTheSameOnAllRanksAndNothingForOne) {
  std::mutex mutex;
  std::vector<double> seen;
  run_ranks(3, [&](Group& group) {
    const double bandwidth = bus_gigabytes_per_second(group, at::kCPU);
    const std::scoped_lock lock(mutex);
    seen.push_back(bandwidth);
  });
  EXPECT_GT(seen[0], 0);
  EXPECT_THAT(seen, testing::Each(seen[0]));
  EXPECT_EQ(bus_gigabytes_per_second(*make_single_group(), at::kCPU), 0);
}

TEST(Preflight, PrintsATableAndALineForTheOperator) {
  testing::internal::CaptureStdout();
  wire::Preflight result;
  run_ranks(2, [&](Group& group) {
    const auto found = run_preflight(group, at::kCPU, {.floor_gigabytes_per_second = 1000});
    EXPECT_FALSE(found.passed());
    if (group.rank() == 0) result = found;
  });
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, HasSubstr("All-reduce of 2 ranks on 1 node:"));
  const auto begin = text.find(wire::kPreflight);
  ASSERT_NE(begin, std::string::npos) << text;
  const std::string line = text.substr(begin + std::string_view(wire::kPreflight).size());
  EXPECT_EQ(wire::parse_preflight(nlohmann::ordered_json::parse(line)), result);
  EXPECT_EQ(result.faulty_nodes.size(), 1) << "all ranks are on this machine";
  EXPECT_THAT(result.message, HasSubstr("below the floor of 1000 GB/s"));
}

TEST(Preflight, RequiresOnAllRanksWhatTheFirstRequires) {
  testing::internal::CaptureStdout();
  run_ranks(2, [](Group& group) {
    const FabricRequirements own{.floor_gigabytes_per_second = group.rank() == 0 ? 0.0 : 1000.0};
    EXPECT_TRUE(run_preflight(group, at::kCPU, own).passed());
  });
  testing::internal::GetCapturedStdout();
}

}  // namespace
}  // namespace ganscale::comm
