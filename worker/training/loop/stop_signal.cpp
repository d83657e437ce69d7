#include "training/loop/stop_signal.h"

#include <array>
#include <atomic>
#include <csignal>

namespace ganscale::training {
namespace {

constexpr std::array kSignals{SIGTERM, SIGINT, SIGUSR1};

// A handler reaches nothing but a lock-free static.
std::atomic<bool> stop_received{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// Not a signal: after it, a first SIGINT does not end the process.
std::atomic<bool> stop_requested{false};

void on_signal(int number) {
  const bool again = stop_received.exchange(true);
  if (again && number == SIGINT) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
}

}  // namespace

StopSignal::StopSignal() {
  stop_received = stop_requested = false;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : kSignals) sigaction(number, &action, nullptr);
}

StopSignal::~StopSignal() {
  for (const int number : kSignals) std::signal(number, SIG_DFL);
}

bool StopSignal::received() const { return stop_received || stop_requested; }

void StopSignal::request() const { stop_requested = true; }

}  // namespace ganscale::training
