#include "controller/controller.h"

#include <thread>
#include <vector>

#include "base/log.h"
#include "kube/client.h"

namespace ganscale::controller {

using Clock = std::chrono::steady_clock;

Controller::Controller(std::string name, Reconcile reconcile, WorkQueue::Limits limits)
    : name_(std::move(name)), reconcile_(std::move(reconcile)), queue_(limits) {}

void Controller::run(int workers, const Stopped& stopped) {
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) threads.emplace_back([this] { work(); });
  while (sleep_unless(stopped, std::chrono::minutes(1))) {
  }
  queue_.shut_down();
  for (auto& thread : threads) thread.join();
}

void Controller::work() {
  while (const auto item = queue_.get()) {
    const auto began = Clock::now();
    metrics_.on_queued(began - item->added);
    metrics_.add_active_worker(1);
    reconcile(item->key);
    metrics_.add_active_worker(-1);
    metrics_.on_work(Clock::now() - began);
    queue_.done(item->key);
  }
}

void Controller::reconcile(const Key& key) {
  const auto fail = [&](const std::string& what) {
    metrics_.on_reconcile("error");
    log::warning("Reconcile failed",
                 {{"controller", name_}, {"object", key.text()}, {"what", what}});
    queue_.add_rate_limited(key);
  };
  try {
    const auto requeue_after = reconcile_(key);
    queue_.forget(key);
    if (requeue_after) queue_.add_after(key, *requeue_after);
    metrics_.on_reconcile(requeue_after ? "requeue_after" : "success");
  } catch (const ApiError& error) {
    if (error.code() != 409) return fail(error.what());
    // A conflict: our copy is stale, and will be fresh at the retry.
    metrics_.on_reconcile("error");
    queue_.add_rate_limited(key);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void Controller::collect(Families& families) const {
  metrics_.collect(name_, queue_.counts(), families);
}

}  // namespace ganscale::controller
