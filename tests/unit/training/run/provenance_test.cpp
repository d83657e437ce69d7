#include "training/run/provenance.h"

#include <gmock/gmock.h>

#include "comm/backends/thread_group.h"

namespace ganscale::training {
namespace {

TEST(DescribeStart, NamesProgramHostsAndDevicesOfAllRanks) {
  const Provenance provenance{{{"version", "1.2.3"}, {"commit", "abc"}}, "ganscale train"};
  comm::run_ranks(3, [&](comm::Group& group) {
    const std::string device = group.rank() == 0 ? "CPU" : "H100";
    const auto start = describe_start(provenance, device, /*device_count=*/2, group);
    EXPECT_EQ(start.at("version"), "1.2.3");
    EXPECT_EQ(start.at("commit"), "abc");
    EXPECT_EQ(start.at("command_line"), "ganscale train");
    EXPECT_EQ(start.at("devices"), nlohmann::ordered_json({{"CPU", 2}, {"H100", 4}}));
    EXPECT_EQ(start.at("ranks"), 3);
    EXPECT_EQ(start.at("hosts").size(), 1);  // all threads are here
    EXPECT_THAT(start.at("date").get<std::string>(), testing::MatchesRegex("....-..-..T..:..:..Z"));
  });
}

}  // namespace
}  // namespace ganscale::training
