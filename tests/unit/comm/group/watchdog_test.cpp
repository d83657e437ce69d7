#include "comm/group/watchdog.h"

#include <c10/util/Exception.h>
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

using Overdue = Watchdog::Overdue;

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
      kTimeout, [this](const Overdue& overdue) { overdue_.set_value(overdue); },
      [this] { return Watchdog::Clock::time_point(milliseconds(time_since_epoch_)); }};
};

TEST(Watchdog, NamesTheOperationThatTakesTooLong) {
  Watched watched;
  const auto watch = watched.watchdog().watch("mean");
  watched.advance(2 * kTimeout);
  const Overdue overdue = watched.overdue();
  EXPECT_EQ(overdue.operation, "mean");
  EXPECT_EQ(overdue.waited, 2 * kTimeout);
  EXPECT_EQ(overdue.code, ExitCode::kPeerLost);
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
  const Overdue overdue = watched.overdue();
  EXPECT_EQ(overdue.operation, "sum, which failed: remote error");
  EXPECT_EQ(overdue.code, ExitCode::kPeerLost);
}

TEST(Watchdog, TellsAFailedDeviceFromALostPeer) {
  Watched of_ours;
  of_ours.watchdog().watch_until("sum", []() -> bool { throw DeviceError("ECC error"); });
  const Overdue ours = of_ours.overdue();
  EXPECT_EQ(ours.operation, "sum, which failed: ECC error");
  EXPECT_EQ(ours.code, ExitCode::kDevice);
  Watched of_libtorch;
  of_libtorch.watchdog().watch_until("sum", []() -> bool {
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, 214, "CUDA error: ECC error");
  });
  const Overdue libtorch = of_libtorch.overdue();
  EXPECT_EQ(libtorch.operation, "sum, which failed: CUDA error: ECC error");
  EXPECT_EQ(libtorch.code, ExitCode::kDevice);
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

TEST(ProcessWatchdog, EndsTheProcessOfAFailedDeviceWithItsCode) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto fail = [] {
    const auto watchdog = make_process_watchdog(milliseconds(40), 3);
    watchdog->watch_until("sum", []() -> bool { throw DeviceError("ECC error"); });
    std::this_thread::sleep_for(std::chrono::hours(1));
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(71),
              "A device failed.*operation=sum, which failed: ECC error");
}

}  // namespace
}  // namespace ganscale::comm
