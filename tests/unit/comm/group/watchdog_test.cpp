#include "comm/group/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

namespace ganscale::comm {
namespace {

using std::chrono::milliseconds;

struct Overdue {
  std::string operation;
  milliseconds waited;
};

// A watchdog that hands over the first overdue operation.
class Watched {
 public:
  explicit Watched(milliseconds timeout)
      : watchdog(timeout, [this](const std::string& operation, milliseconds waited) {
          overdue.set_value({operation, waited});
        }) {}

  std::promise<Overdue> overdue;
  Watchdog watchdog;
};

TEST(Watchdog, NamesTheOperationThatTakesTooLong) {
  Watched watched(milliseconds(30));
  const auto watch = watched.watchdog.watch("mean");
  const auto overdue = watched.overdue.get_future().get();
  EXPECT_EQ(overdue.operation, "mean");
  EXPECT_GE(overdue.waited, milliseconds(30));
}

TEST(Watchdog, LeavesOperationsThatEndedAlone) {
  std::atomic<bool> called = false;
  {
    Watchdog watchdog(milliseconds(20), [&](const auto&, auto) { called = true; });
    for (int i = 0; i < 100; ++i) const auto watch = watchdog.watch("mean");
    std::this_thread::sleep_for(milliseconds(60));
  }
  EXPECT_FALSE(called);
}

TEST(Watchdog, FindsTheOverdueOneAmongThoseThatEnd) {
  Watched watched(milliseconds(30));
  const auto stuck = watched.watchdog.watch("receive");
  auto overdue = watched.overdue.get_future();
  while (overdue.wait_for(milliseconds(1)) != std::future_status::ready) {
    const auto quick = watched.watchdog.watch("mean");
  }
  EXPECT_EQ(overdue.get().operation, "receive");
}

TEST(Watchdog, AsksAnOperationThatGoesOnByItself) {
  std::atomic<int> questions = 0;
  Watched watched(milliseconds(60));
  watched.watchdog.watch_until("sum", [&] { return ++questions == 2; });
  watched.watchdog.watch_until("max", [] { return false; });
  EXPECT_EQ(watched.overdue.get_future().get().operation, "max");
  EXPECT_EQ(questions, 2);
}

TEST(Watchdog, ReportsAFailedOperationAtOnce) {
  Watched watched(std::chrono::hours(1));
  watched.watchdog.watch_until("sum", []() -> bool { throw std::runtime_error("remote error"); });
  EXPECT_EQ(watched.overdue.get_future().get().operation, "sum, which failed: remote error");
}

TEST(ProcessWatchdog, EndsTheProcessWithPeerLost) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto wait_forever = [] {
    const auto watchdog = make_process_watchdog(milliseconds(40), 3);
    const auto watch = watchdog->watch("broadcast");
    std::this_thread::sleep_for(std::chrono::hours(1));
  };
  EXPECT_EXIT(wait_forever(), testing::ExitedWithCode(75), "waiting_rank=3  operation=broadcast");
}

}  // namespace
}  // namespace ganscale::comm
