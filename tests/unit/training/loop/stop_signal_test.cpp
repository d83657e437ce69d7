#include "training/loop/stop_signal.h"

#include <gtest/gtest.h>

#include <csignal>

namespace ganscale::training {
namespace {

TEST(StopSignal, RemembersASignalThatAsksToStop) {
  for (const int number : {SIGTERM, SIGUSR1, SIGINT}) {
    const StopSignal stop;
    EXPECT_FALSE(stop.received());
    std::raise(number);
    EXPECT_TRUE(stop.received());
  }
}

TEST(StopSignal, IsReceivedIfAnotherRankRequestsIt) {
  {
    const StopSignal stop;
    stop.request();
    EXPECT_TRUE(stop.received());
    std::raise(SIGINT);  // the first: the program goes on
  }
  const StopSignal next;
  EXPECT_FALSE(next.received());
}

TEST(StopSignal, EndsTheProgramAtTheSecondInterruptAlone) {
  const StopSignal stop;
  std::raise(SIGTERM);
  std::raise(SIGTERM);
  EXPECT_TRUE(stop.received());
  const auto interrupt_twice = [] {
    const StopSignal own;
    std::raise(SIGINT);
    std::raise(SIGINT);
  };
  EXPECT_EXIT(interrupt_twice(), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace ganscale::training
