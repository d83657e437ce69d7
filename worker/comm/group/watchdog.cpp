#include "comm/group/watchdog.h"

#include <c10/util/Exception.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"

namespace ganscale::comm {
namespace {

using std::chrono::milliseconds;
using Clock = Watchdog::Clock;

struct Watched {
  std::int64_t id;
  std::string operation;
  Clock::time_point start;
  std::function<bool()> done;  // if empty, it ends with its Watch
  std::optional<ExitCode> failure = std::nullopt;
};

void fail(Watched& watched, const char* why, ExitCode code) {
  watched.operation.append(", which failed: ").append(why);
  watched.failure = code;
}

/// Polls an asynchronous operation.
bool has_ended(Watched& watched) {
  try {
    return watched.done && watched.done();
  } catch (const c10::AcceleratorError& error) {
    fail(watched, error.what_without_backtrace(), ExitCode::kDevice);
  } catch (const DeviceError& error) {
    fail(watched, error.what(), ExitCode::kDevice);
  } catch (const std::exception& error) {
    fail(watched, error.what(), ExitCode::kPeerLost);
  }
  return false;
}

constexpr const char* kPeerLostText =
    "A peer hung or was lost: this rank exits, and the run can resume from its last checkpoint";
constexpr const char* kDeviceText =
    "A device failed: this rank exits, and the run can resume from its last checkpoint";

}  // namespace

struct Watchdog::State {
  State(milliseconds limit, Action what, Now clock)
      : timeout(limit), action(std::move(what)), now(std::move(clock)) {}

  std::int64_t add(std::string_view operation, std::function<bool()> done) {
    const std::scoped_lock lock(mutex);
    watching.push_back({next_id, std::string(operation), now(), std::move(done)});
    changed.notify_all();
    return next_id++;
  }

  void remove(std::int64_t id) {
    const std::scoped_lock lock(mutex);
    std::erase_if(watching, [&](const Watched& watched) { return watched.id == id; });
  }

  void run() {
    std::unique_lock lock(mutex);
    while (!closed) {
      std::erase_if(watching, has_ended);
      const auto time = now();
      if (const auto late = overdue(time)) {
        const auto waited = std::chrono::duration_cast<milliseconds>(time - late->start);
        lock.unlock();  // the action may take long, and must not block others
        action({late->operation, waited, late->failure.value_or(ExitCode::kPeerLost)});
        return;
      }
      changed.wait_for(lock, until_next_look(time));
    }
  }

  std::optional<Watched> overdue(Clock::time_point time) const {
    for (const auto& watched : watching) {
      if (watched.failure || time - watched.start >= timeout) return watched;
    }
    return std::nullopt;
  }

  Clock::duration until_next_look(Clock::time_point time) const {
    Clock::duration left = timeout;
    for (const auto& watched : watching) {
      left = std::min(left, watched.start + timeout - time);
      if (watched.done) left = std::min<Clock::duration>(left, poll_interval());
    }
    return left;
  }

  milliseconds poll_interval() const {
    return std::clamp(timeout / 20, milliseconds(1), milliseconds(500));
  }

  const milliseconds timeout;
  const Action action;
  const Now now;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Watched> watching;
  std::int64_t next_id = 0;
  bool closed = false;
  std::thread thread;
};

Watchdog::Watchdog(milliseconds timeout, Action action, Now now)
    : state_(std::make_unique<State>(timeout, std::move(action), std::move(now))) {
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->closed = true;
    state_->changed.notify_all();
  }
  state_->thread.join();
}

Watchdog::Watch Watchdog::watch(std::string_view operation) {
  return {this, state_->add(operation, nullptr)};
}

void Watchdog::watch_until(std::string_view operation, std::function<bool()> done) {
  state_->add(operation, std::move(done));
}

Watchdog::Watch::Watch(Watch&& other) noexcept
    : watchdog_(std::exchange(other.watchdog_, nullptr)), id_(other.id_) {}

Watchdog::Watch::~Watch() {
  if (watchdog_ != nullptr) watchdog_->state_->remove(id_);
}

std::shared_ptr<Watchdog> make_process_watchdog(milliseconds timeout, int rank) {
  const auto notice = std::min(timeout / 4, milliseconds(1000));
  const auto end_process = [rank, notice](const Watchdog::Overdue& overdue) {
    const int code = static_cast<int>(overdue.code);
    std::signal(SIGTERM, SIG_IGN);
    // From here on nothing may delay the exit, not even logging that hangs.
    std::thread([notice, code] {
      std::this_thread::sleep_for(notice);
      _exit(code);
    }).detach();
    log::error(overdue.code == ExitCode::kDevice ? kDeviceText : kPeerLostText,
               {{"waiting_rank", rank},
                {"operation", overdue.operation},
                {"seconds", static_cast<double>(overdue.waited.count()) / 1000},
                {"exit_code", code}});
  };
  return std::make_shared<Watchdog>(timeout - notice, end_process);
}

}  // namespace ganscale::comm
