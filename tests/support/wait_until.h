#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace ganscale {

/// Waits half a minute for holds() to become true; fails the test if it does not.
template <class Holds>
void wait_until(Holds holds) {
  for (int i = 0; i < 3000 && !holds(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(holds());
}

}  // namespace ganscale
