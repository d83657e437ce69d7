#include "controller/controller.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "kube/client.h"
#include "support/wait_until.h"

namespace ganscale::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Key kThing{"n", "a"};
const WorkQueue::Limits kFastRetries{.first = milliseconds(1), .longest = milliseconds(2)};

/// A controller that runs on threads of its own until it goes.
class RunningController {
 public:
  RunningController(Controller::Reconcile reconcile, int workers)
      : controller("thing", std::move(reconcile), kFastRetries),
        thread_([this, workers] { controller.run(workers, [this] { return stopped_.load(); }); }) {}
  ~RunningController() { stop(); }
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }
  /// Returns a value by family and by the value of its label `label`.
  double metric(const std::string& name, const std::string& label, const std::string& value) const {
    Families families;
    controller.collect(families);
    for (const auto& family : families.all()) {
      if (family.name != name) continue;
      for (const auto& sample : family.samples) {
        for (const auto& [key, word] : sample.labels) {
          if (key == label && word == value) return sample.value;
        }
      }
    }
    return 0;
  }

  Controller controller;

 private:
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

TEST(Controller, ReconcilesEachKeyThatIsEnqueued) {
  std::atomic<int> count{0};
  RunningController running(
      [&](const Key& key) -> std::optional<seconds> {
        EXPECT_EQ(key, kThing);
        ++count;
        return std::nullopt;
      },
      2);
  running.controller.queue().add(kThing);
  wait_until([&] {
    return running.metric("controller_runtime_reconcile_total", "result", "success") == 1;
  });
  EXPECT_EQ(count, 1);
  EXPECT_EQ(running.metric("workqueue_adds_total", "name", "thing"), 1);
}

TEST(Controller, RequeuesAsTheReconcileAsks) {
  std::atomic<int> count{0};
  RunningController running(
      [&](const Key&) -> std::optional<seconds> {
        if (++count > 3) return std::nullopt;
        return seconds(0);
      },
      1);
  running.controller.queue().add(kThing);
  wait_until([&] {
    return running.metric("controller_runtime_reconcile_total", "result", "success") == 1;
  });
  EXPECT_EQ(count, 4);
  EXPECT_EQ(running.metric("controller_runtime_reconcile_total", "result", "requeue_after"), 3);
}

TEST(Controller, RetriesWhatThrowsUntilItSucceeds) {
  std::atomic<int> count{0};
  RunningController running(
      [&](const Key&) -> std::optional<seconds> {
        switch (++count) {
          case 1: throw ApiError(409, "Conflict", "behind");
          case 2: throw ApiError(500, "InternalError", "down");
          case 3: throw TransportError("broken");
          case 4: throw std::runtime_error("a bug");
          default: return std::nullopt;
        }
      },
      1);
  running.controller.queue().add(kThing);
  wait_until([&] {
    return running.metric("controller_runtime_reconcile_total", "result", "success") == 1;
  });
  EXPECT_EQ(running.metric("controller_runtime_reconcile_errors_total", "controller", "thing"), 4);
  EXPECT_EQ(running.metric("workqueue_retries_total", "name", "thing"), 4);
}

TEST(Controller, NeverReconcilesAKeyTwiceAtATime) {
  std::mutex mutex;
  std::map<Key, int> at_work;
  std::atomic<int> count{0};
  RunningController running(
      [&](const Key& key) -> std::optional<seconds> {
        {
          const std::scoped_lock lock(mutex);
          EXPECT_EQ(++at_work[key], 1);
        }
        std::this_thread::sleep_for(milliseconds(1));
        const std::scoped_lock lock(mutex);
        --at_work[key];
        ++count;
        return std::nullopt;
      },
      4);
  for (int i = 0; i < 100; ++i) running.controller.queue().add({"n", std::to_string(i % 3)});
  wait_until([&] { return count >= 3 && running.controller.queue().counts().depth == 0; });
}

TEST(Controller, FinishesWhatItBeganWhenItIsStopped) {
  std::atomic<bool> began{false};
  std::atomic<bool> may_end{false};
  std::atomic<bool> ended{false};
  RunningController running(
      [&](const Key&) -> std::optional<seconds> {
        began = true;
        while (!may_end) std::this_thread::yield();
        ended = true;
        return std::nullopt;
      },
      1);
  running.controller.queue().add(kThing);
  wait_until([&] { return began.load(); });
  EXPECT_EQ(running.metric("controller_runtime_active_workers", "controller", "thing"), 1);
  may_end = true;
  running.stop();
  EXPECT_TRUE(ended);
  EXPECT_EQ(running.metric("controller_runtime_active_workers", "controller", "thing"), 0);
}

}  // namespace
}  // namespace ganscale::controller
