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

}  // namespace
}  // namespace ganscale::training
