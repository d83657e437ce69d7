#include "comm/backends/comm_thread.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

namespace ganscale::comm {

struct CommThread::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  bool busy = false;  // an operation runs
  bool closed = false;
  std::exception_ptr error;

  bool idle() const { return !busy && waiting.empty(); }
};

CommThread::CommThread()
    : state_(std::make_shared<State>()), thread_([state = state_] { run(*state); }) {}

CommThread::~CommThread() {
  bool idle = false;
  {
    const std::scoped_lock lock(state_->mutex);
    idle = state_->idle();
    state_->waiting.clear();
    state_->closed = true;
    state_->changed.notify_all();
  }
  if (idle) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void CommThread::run(State& state) {
  std::unique_lock lock(state.mutex);
  while (true) {
    state.changed.wait(lock, [&] { return state.closed || !state.waiting.empty(); });
    if (state.waiting.empty()) return;
    if (state.error) {
      state.waiting.clear();
      state.changed.notify_all();
      continue;
    }
    auto operation = std::move(state.waiting.front());
    state.waiting.pop_front();
    state.busy = true;
    lock.unlock();
    std::exception_ptr error;
    try {
      operation();
    } catch (...) {
      error = std::current_exception();
    }
    operation = nullptr;  // releases its tensors before waiters are notified
    lock.lock();
    state.busy = false;
    state.error = error;
    state.changed.notify_all();
  }
}

void CommThread::submit(std::function<void()> operation) {
  const std::scoped_lock lock(state_->mutex);
  state_->waiting.push_back(std::move(operation));
  state_->changed.notify_all();
}

void CommThread::wait() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->idle(); });
  if (state_->error) std::rethrow_exception(state_->error);
}

bool CommThread::idle() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->idle();
}

}  // namespace ganscale::comm
