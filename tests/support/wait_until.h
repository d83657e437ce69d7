#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace ganscale {

/// Waits for holds() to become true; fails the test and returns false if it does not within `limit`,
/// by default less than a test program may take.
template <class Holds>
bool wait_until(Holds holds, std::chrono::seconds limit = std::chrono::seconds(100)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) {
      ADD_FAILURE() << "what is waited for did not happen within " << limit.count() << " s";
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace ganscale
