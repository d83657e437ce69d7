#include "cli/launch/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/non_copyable.h"
#include "files/file_descriptor.h"
#include "files/uninterrupted.h"

namespace ganscale::cli {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGUSR1};

// A handler reaches nothing but lock-free statics.
std::atomic<pid_t> child{0};
std::atomic<int> received{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void forward_signal(int /*signal*/) {
  const pid_t process = child;
  const int earlier = received.fetch_add(1);
  if (process > 0) kill(process, earlier == 0 ? SIGUSR1 : SIGTERM);
}

/// What signals do, until its end.
class Dispositions : NonCopyable {
 public:
  ~Dispositions() {
    for (const auto& [signal, before] : before_) sigaction(signal, &before, nullptr);
  }

  void set(int signal, void (*handler)(int)) {
    struct sigaction action{};
    struct sigaction before{};
    action.sa_handler = handler;
    sigaction(signal, &action, &before);
    before_.emplace_back(signal, before);
  }

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

bool is_ignored(int signal) {
  struct sigaction now{};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

/// Blocks the signals until it knows whom to forward them to.
class BlockedSignals : NonCopyable {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : kSignals) sigaddset(&blocked, signal);
    sigprocmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { restore(); }

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

/// failure: takes errno if the program can't be run.
[[noreturn]] void execute(const std::vector<std::string>& words, const Pipe& errors,
                          const Pipe& failure, const BlockedSignals& blocked) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  setsid();  // Ctrl-C goes to all of the terminal's foreground
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(errors.input.get(), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  blocked.restore();
  execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const auto written = write(failure.input.get(), &error, sizeof error);
  _exit(EXIT_FAILURE);
}

/// Throws UsageError if execute() has failed.
///
/// failure: of a process that has ended; no other holds its input.
void require_executed(const Pipe& failure, const std::string& program, const std::string& package) {
  int error = 0;
  files::uninterrupted([&] { return read(failure.output.get(), &error, sizeof error); });
  if (error == ENOENT) {
    throw UsageError(program + " is not installed, or not in PATH; Debian's package is " + package);
  }
  if (error != 0) throw UsageError("cannot run " + program + ": " + std::strerror(error));
}

using std::chrono::milliseconds;

/// Waits until a descriptor is ready for `events`.
bool is_ready(int descriptor, short events, milliseconds timeout) {
  pollfd ready{.fd = descriptor, .events = events, .revents = 0};
  return poll(&ready, 1, static_cast<int>(timeout.count())) > 0;
}

void write_whole(std::string_view text) {
  while (!text.empty()) {
    const auto written =
        files::uninterrupted([&] { return write(STDERR_FILENO, text.data(), text.size()); });
    if (written < 0 && errno == EAGAIN && is_ready(STDERR_FILENO, POLLOUT, milliseconds(1000)))
      continue;
    if (written < 0) return;  // nobody reads it
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Forwards what comes out of a pipe to standard error, and looks for the line of a rank that lost
/// another.
class StderrForwarder {
 public:
  explicit StderrForwarder(int from) : from_(from) {}

  /// Waits this long for text. Returns whether there was any.
  bool forward(milliseconds timeout) {
    if (!is_ready(from_, POLLIN, timeout)) return false;
    std::array<char, 4096> buffer;
    const auto count =
        files::uninterrupted([&] { return read(from_, buffer.data(), buffer.size()); });
    if (count <= 0) return false;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
    write_whole(text);
    look_at(text);
    return true;
  }

  bool has_lost_rank() const { return has_lost_rank_; }

 private:
  /// As the log has it (comm/group/watchdog.cpp, command_line/run_program.cpp), as text or as JSON.
  /// docker/entrypoint.sh looks for the same.
  static constexpr std::array<std::string_view, 2> kLost{"exit_code=75", "\"exit_code\":75"};

  void look_at(std::string_view text) {
    recent_ += text;
    for (const auto lost : kLost) has_lost_rank_ |= recent_.find(lost) != std::string::npos;
    if (recent_.size() > kLost[1].size()) recent_.erase(0, recent_.size() - kLost[1].size());
  }

  int from_;
  std::string recent_;
  bool has_lost_rank_ = false;
};

/// Kills a process and its group if it runs for longer than the timeout after begin().
class Deadline {
 public:
  Deadline(pid_t process, std::optional<milliseconds> timeout)
      : process_(process), timeout_(timeout) {}

  void begin() {
    if (timeout_) end_ = std::min<Clock::time_point>(end_, Clock::now() + *timeout_);
  }
  void enforce() {
    if (is_over_ || Clock::now() < end_) return;
    kill(-process_, SIGKILL);
    is_over_ = true;
  }
  bool is_over() const { return is_over_; }

 private:
  using Clock = std::chrono::steady_clock;

  pid_t process_;
  std::optional<milliseconds> timeout_;
  Clock::time_point end_ = Clock::time_point::max();
  bool is_over_ = false;
};

/// Forwards what a process writes until it ends. Returns its status, as waitpid() does.
int forward_until_end(pid_t process, StderrForwarder& errors, Deadline& deadline) {
  constexpr milliseconds kPollInterval{100};
  constexpr int kMostReadsAfterwards = 256;  // others may still write
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (!errors.forward(kPollInterval)) std::this_thread::sleep_for(kPollInterval / 10);
    if (errors.has_lost_rank()) deadline.begin();
    deadline.enforce();
  }
  for (int i = 0; i < kMostReadsAfterwards && errors.forward(milliseconds(0)); ++i) {
  }
  return status;
}

int wait_for(pid_t process, int errors, std::optional<milliseconds> timeout) {
  StderrForwarder forwarder(errors);
  Deadline deadline(process, timeout);
  const int status = forward_until_end(process, forwarder, deadline);
  if (deadline.is_over()) {
    log::warning(
        "Killed mpirun, which waited for a machine that it can't reach; ranks there may still run");
    return static_cast<int>(ExitCode::kPeerLost);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int supervise(const std::vector<std::string>& words, const std::string& package,
              std::optional<milliseconds> timeout) {
  received = 0;
  Dispositions dispositions;
  dispositions.set(SIGPIPE, SIG_IGN);  // that standard error has no reader must not end the ranks
  dispositions.set(SIGCHLD, SIG_DFL);  // waitpid() returns nothing of ignored children
  Pipe errors = open_pipe();
  Pipe failure = open_pipe();
  {
    const BlockedSignals blocked;
    for (const int signal : kSignals) {
      const bool is_under_nohup = signal == SIGHUP && is_ignored(signal);
      if (!is_under_nohup) dispositions.set(signal, forward_signal);
    }
    const pid_t process = fork();
    if (process == 0) execute(words, errors, failure, blocked);
    if (process < 0) throw UsageError("cannot start another process: " + words.front());
    child = process;
  }
  errors.input = FileDescriptor();
  failure.input = FileDescriptor();
  const int code = wait_for(child, errors.output.get(), timeout);
  child = 0;
  require_executed(failure, words.front(), package);
  return code;
}

}  // namespace ganscale::cli
