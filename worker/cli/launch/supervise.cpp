#include "cli/launch/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "files/file_descriptor.h"
#include "files/uninterrupted.h"

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

struct Pipe {
  FileDescriptor output;
  FileDescriptor input;
};

Pipe open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw UsageError("cannot open a pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

[[noreturn]] void execute(const std::vector<std::string>& words, const Pipe& errors,
                          const BlockedSignals& blocked) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  setsid();  // Ctrl-C goes to all of the terminal's foreground
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(errors.input.get(), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  blocked.restore();
  execvp(arguments[0], arguments.data());
  _exit(kNotFound);
}

void write_whole(std::string_view text) {
  while (!text.empty()) {
    const auto written =
        files::uninterrupted([&] { return write(STDERR_FILENO, text.data(), text.size()); });
    if (written < 0) return;  // nobody reads it
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Passes on what comes out of a pipe, and looks for the line of a rank that lost another.
class PassedOn {
 public:
  explicit PassedOn(int from) : from_(from) {}

  /// Waits this long for more. Returns whether there was any.
  bool more(std::chrono::milliseconds within) {
    pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(within.count())) <= 0) return false;
    std::array<char, 4096> buffer;
    const auto count =
        files::uninterrupted([&] { return read(from_, buffer.data(), buffer.size()); });
    if (count <= 0) return false;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
    write_whole(text);
    look_at(text);
    return true;
  }

  bool tell_of_a_lost_rank() const { return has_lost_; }

 private:
  /// As the last line of a run has it (cli/run.cpp), as text or as JSON.
  static constexpr std::array<std::string_view, 2> kLost{"exit_code=75", "\"exit_code\":75"};

  void look_at(std::string_view text) {
    recent_ += text;
    for (const auto lost : kLost) has_lost_ |= recent_.find(lost) != std::string::npos;
    if (recent_.size() > kLost[1].size()) recent_.erase(0, recent_.size() - kLost[1].size());
  }

  int from_;
  std::string recent_;
  bool has_lost_ = false;
};

/// Ends a process that goes on for longer than patience after begin().
class Deadline {
 public:
  Deadline(pid_t process, Patience patience) : process_(process), patience_(patience) {}

  void begin() {
    if (patience_) end_ = std::min<Clock::time_point>(end_, Clock::now() + *patience_);
  }
  void enforce() {
    if (is_over_ || Clock::now() < end_) return;
    kill(process_, SIGKILL);
    is_over_ = true;
  }
  bool is_over() const { return is_over_; }

 private:
  using Clock = std::chrono::steady_clock;

  pid_t process_;
  Patience patience_;
  Clock::time_point end_ = Clock::time_point::max();
  bool is_over_ = false;
};

/// Passes on what a process writes until it ends, or until patience runs out after a rank was lost.
int wait_for(pid_t process, PassedOn& errors, Patience patience) {
  constexpr std::chrono::milliseconds kLookEvery{100};
  Deadline deadline(process, patience);
  int status = 0;
  while (waitpid(process, &status, WNOHANG) != process) {
    if (!errors.more(kLookEvery)) std::this_thread::sleep_for(kLookEvery / 10);
    if (errors.tell_of_a_lost_rank()) deadline.begin();
    deadline.enforce();
  }
  while (errors.more(std::chrono::milliseconds(0))) {
  }
  if (deadline.is_over()) {
    log::warning("mpirun waited for a machine that it can't reach, and was ended");
    return static_cast<int>(ExitCode::kPeerLost);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int supervise(const std::vector<std::string>& words, const std::string& package,
              Patience patience) {
  received = 0;
  Pipe errors = open_pipe();
  {
    const BlockedSignals blocked;
    struct sigaction action{};
    action.sa_handler = forward;
    for (const int signal : kSignals) sigaction(signal, &action, nullptr);
    const pid_t process = fork();
    if (process == 0) execute(words, errors, blocked);
    if (process < 0) throw UsageError("cannot start another process: " + words.front());
    child = process;
  }
  errors.input = FileDescriptor();
  PassedOn passed_on(errors.output.get());
  const int code = wait_for(child, passed_on, patience);
  child = 0;
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  if (code == kNotFound) {
    throw UsageError(words.front() + " is not installed, or not in PATH; Debian's package is " +
                     package);
  }
  return code;
}

}  // namespace ganscale::cli
