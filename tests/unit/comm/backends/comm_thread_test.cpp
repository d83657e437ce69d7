#include "comm/backends/comm_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "support/expect_error.h"

namespace ganscale::comm {
namespace {

TEST(CommThread, RunsOperationsInTheOrderInWhichTheyWereGiven) {
  std::vector<int> done;
  CommThread thread;
  for (int i = 0; i < 100; ++i) thread.submit([&done, i] { done.push_back(i); });
  thread.wait();
  ASSERT_EQ(done.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(CommThread, DoesNotKeepTheCaller) {
  std::promise<void> gate;
  CommThread thread;
  thread.submit([&gate] { gate.get_future().wait(); });
  EXPECT_FALSE(thread.idle());
  gate.set_value();
  thread.wait();
  EXPECT_TRUE(thread.idle());
}

TEST(CommThread, RethrowsTheFirstErrorAndRunsNothingBehindIt) {
  bool ran = false;
  CommThread thread;
  thread.submit([] { throw PeerLost("first"); });
  thread.submit([&] { ran = true; });
  expect_error(ExitCode::kPeerLost, "first", [&] { thread.wait(); });
  thread.submit([&] { ran = true; });
  expect_error(ExitCode::kPeerLost, "first", [&] { thread.wait(); });
  EXPECT_FALSE(ran);
}

TEST(CommThread, IsDroppedWithoutWaitingForAnOperationThatHangs) {
  struct Steps {
    std::promise<void> started, gate, left;
  };
  const auto steps = std::make_shared<Steps>();
  {
    CommThread thread;
    thread.submit([steps] {
      steps->started.set_value();
      steps->gate.get_future().wait();
      steps->left.set_value();
    });
    steps->started.get_future().wait();
  }
  steps->gate.set_value();  // only now, when the thread's object is gone
  steps->left.get_future().wait();
}

}  // namespace
}  // namespace ganscale::comm
