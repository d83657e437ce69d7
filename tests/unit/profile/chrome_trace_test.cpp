#include "profile/chrome_trace.h"

#include <gtest/gtest.h>

namespace ganscale::profile {
namespace {

TEST(TraceEvents, NameTheProcessAndCountMicrosecondsFromTheOrigin) {
  const Recording recording{
      .events = {{.name = "aten::mm", .begin_ns = 5'000, .end_ns = 7'500, .track = 3}}};
  const auto expected = nlohmann::ordered_json::parse(R"([
      {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "rank 1, discriminator"}},
      {"ph": "X", "name": "aten::mm", "pid": 1, "tid": 3, "ts": 1.0, "dur": 2.5}])");
  EXPECT_EQ(trace_events({1, "rank 1, discriminator", 4'000}, recording), expected);
}

TEST(TraceEvents, AreAnArrayWithoutEventsToo) {
  EXPECT_EQ(trace_events({0, "rank 0", 0}, {}).size(), 1);
}

}  // namespace
}  // namespace ganscale::profile
