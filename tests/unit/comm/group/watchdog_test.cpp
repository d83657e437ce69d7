#include "comm/group/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include "support/wait_until.h"

namespace ganscale::comm {
namespace {

using std::chrono::milliseconds;

struct Overdue {
  std::string operation;
  milliseconds waited;
};

constexpr milliseconds kTimeout{30};

/// A watchdog that hands over the first overdue operation, with a clock that only the test advances.
class Watched {
 public:
  void advance(milliseconds time) { time_since_epoch_ += time.count(); }
  Watchdog& watchdog() { return watchdog_; }
  /// Waits for it.
  Overdue overdue() { return overdue_.get_future().get(); }

 private:
  std::promise<Overdue> overdue_;
  std::atomic<milliseconds::rep> time_since_epoch_ = 0;
  Watchdog watchdog_{
      kTimeout,
      [this](const std::string& operation, milliseconds waited) {
        overdue_.set_value({operation, waited});
      },
      [this] { return Watchdog::Clock::time_point(milliseconds(time_since_epoch_)); }};
};

TEST(Watchdog, NamesTheOperationThatTakesTooLong) {
  Watched watched;
  const auto watch = watched.watchdog().watch("mean");
  watched.advance(2 * kTimeout);
  const Overdue overdue = watched.overdue();
  EXPECT_EQ(overdue.operation, "mean");
  EXPECT_EQ(overdue.waited, 2 * kTimeout);
}

TEST(Watchdog, LeavesOperationsThatEndedAlone) {
  Watched watched;
  for (int i = 0; i < 100; ++i) const auto ended = watched.watchdog().watch("mean");
  const auto stuck = watched.watchdog().watch("receive");
  watched.advance(kTimeout);
  EXPECT_EQ(watched.overdue().operation, "receive");
}

TEST(Watchdog, PollsAnAsynchronousOperation) {
  Watched watched;
  std::atomic<int> questions = 0;
  watched.watchdog().watch_until("sum", [&] { return ++questions == 2; });
  watched.watchdog().watch_until("max", [] { return false; });
  wait_until([&] { return questions == 2; });
  watched.advance(kTimeout);
  EXPECT_EQ(watched.overdue().operation, "max");
  EXPECT_EQ(questions, 2);
}

TEST(Watchdog, ReportsAFailedOperationAtOnce) {
  Watched watched;
  watched.watchdog().watch_until("sum", []() -> bool { throw std::runtime_error("remote error"); });
  EXPECT_EQ(watched.overdue().operation, "sum, which failed: remote error");
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
