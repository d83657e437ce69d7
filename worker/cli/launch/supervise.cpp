#include "cli/launch/supervise.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "base/error.h"

namespace ganscale::cli {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGUSR1};
constexpr int kNotFound = 127;  // as of a shell

// A handler reaches nothing but lock-free statics.
std::atomic<pid_t> child{0};
std::atomic<int> received{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void forward(int /*signal*/) {
  const pid_t process = child;
  const int earlier = received.fetch_add(1);
  if (process > 0) kill(process, earlier == 0 ? SIGUSR1 : SIGTERM);
}

/// Blocks the signals until it knows whom to forward them to.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : kSignals) sigaddset(&blocked, signal);
    sigprocmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { restore(); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

[[noreturn]] void execute(const std::vector<std::string>& words, const BlockedSignals& blocked) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  setsid();  // Ctrl-C goes to all of the terminal's foreground
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  blocked.restore();
  execvp(arguments[0], arguments.data());
  _exit(kNotFound);
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int supervise(const std::vector<std::string>& words, const std::string& package) {
  received = 0;
  {
    const BlockedSignals blocked;
    struct sigaction action{};
    action.sa_handler = forward;
    for (const int signal : kSignals) sigaction(signal, &action, nullptr);
    const pid_t process = fork();
    if (process == 0) execute(words, blocked);
    if (process < 0) throw UsageError("cannot start another process: " + words.front());
    child = process;
  }
  const int code = wait_for(child);
  child = 0;
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  if (code == kNotFound) {
    throw UsageError(words.front() + " is not installed, or not in PATH; Debian's package is " +
                     package);
  }
  return code;
}

}  // namespace ganscale::cli
