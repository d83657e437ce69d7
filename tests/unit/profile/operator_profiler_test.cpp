#include "profile/operator_profiler.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "profile/scopes.h"
#include "profile/time_shares.h"

namespace ganscale::profile {
namespace {

const Event* find(const Recording& recording, const std::string& name) {
  const auto found = std::ranges::find(recording.events, name, &Event::name);
  return found == recording.events.end() ? nullptr : &*found;
}

TEST(OperatorProfiler, RecordsOperatorsAndScopesOfItsThread) {
  const auto a = at::rand({64, 64});
  OperatorProfiler profiler;
  profiler.start();
  EXPECT_TRUE(profiler.is_recording());
  const auto product = a.mm(a);
  {
    RECORD_USER_SCOPE(kDataWait);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const Recording recording = profiler.stop();
  EXPECT_FALSE(profiler.is_recording());

  const Event* product_event = find(recording, "aten::mm");
  ASSERT_NE(product_event, nullptr);
  EXPECT_EQ(product_event->track, recording.thread);
  EXPECT_GE(product_event->begin_ns, recording.begin_ns) << "one clock";
  EXPECT_LE(product_event->end_ns, recording.end_ns);
  const auto seconds = seconds_by_kind(recording);
  EXPECT_GE(seconds[static_cast<std::size_t>(Kind::kDataWait)], 0.02);
  EXPECT_GT(seconds[static_cast<std::size_t>(Kind::kMatrixProduct)], 0);
}

TEST(OperatorProfiler, RecordsAgainAfterItStopped) {
  OperatorProfiler profiler;
  profiler.start();
  profiler.stop();
  profiler.start();
  const auto sum = at::ones({2}).add(1);
  EXPECT_NE(find(profiler.stop(), "aten::add"), nullptr);
}

}  // namespace
}  // namespace ganscale::profile
