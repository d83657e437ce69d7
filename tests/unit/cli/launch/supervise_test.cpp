#include "cli/launch/supervise.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

namespace ganscale::cli {
namespace {

TEST(Supervise, ReturnsTheExitCode) {
  EXPECT_EQ(supervise({"sh", "-c", "exit 75"}, "dash"), 75);
  EXPECT_EQ(supervise({"sh", "-c", "kill -KILL $$"}, "dash"), 128 + SIGKILL);
}

TEST(Supervise, SaysThatAProgramIsMissing) {
  expect_error(
      ExitCode::kUsage,
      "no-such-program is not installed, or not in PATH; Debian's package is no-such-package",
      [] { supervise({"no-such-program"}, "no-such-package"); });
}

TEST(Supervise, SaysWhyAProgramCannotBeRun) {
  const TemporaryFolder folder;
  const std::string file = folder.write("mpirun", "");
  expect_error(ExitCode::kUsage, "cannot run " + file + ": Permission denied",
               [&] { supervise({file}, "openmpi-bin"); });
}

// As a shell does.
TEST(Supervise, ReturnsTheCodeOfAProgramThatDidNotFindAnother) {
  EXPECT_EQ(supervise({"sh", "-c", "exit 127"}, "dash"), 127);
}

/// Supervises a shell that ends with 3 after the second SIGUSR1, with 4 after SIGTERM, and notes
/// what it receives in a file. Returns the process that supervises.
pid_t start_shell(const TemporaryFolder& folder) {
  const std::string file = folder / "received";
  const std::string script = "trap 'echo USR1 >> " + file + "' USR1; trap 'echo TERM >> " + file +
                             "; exit 4' TERM; echo ready >> " + file +
                             "; while :; do sleep 0.02; done";
  const pid_t process = fork();
  if (process == 0) _exit(supervise({"sh", "-c", script}, "dash"));
  return process;
}

std::string received(const TemporaryFolder& folder) {
  std::ifstream file(folder / "received");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Supervise, ForwardsTheFirstSignalAsUsr1AndTheSecondAsTerm) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    const TemporaryFolder folder;
    const pid_t process = start_shell(folder);
    wait_until([&] { return received(folder) == "ready\n"; });
    kill(process, signal);
    wait_until([&] { return received(folder) == "ready\nUSR1\n"; });
    kill(process, signal);
    int status = 0;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(WEXITSTATUS(status), 4);
    EXPECT_EQ(received(folder), "ready\nUSR1\nTERM\n");
  }
}

TEST(Supervise, IgnoresAHangupUnderNohup) {
  std::signal(SIGHUP, SIG_IGN);
  EXPECT_EQ(supervise({"sh", "-c", "kill -HUP $PPID; sleep 0.3; exit 3"}, "dash"), 3);
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

TEST(Supervise, LeavesSignalsAsTheyWere) {
  constexpr std::array kSignals{SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGCHLD};
  for (const int signal : kSignals) std::signal(signal, SIG_IGN);
  EXPECT_EQ(supervise({"sh", "-c", "exit 3"}, "dash"), 3);
  for (const int signal : kSignals) EXPECT_EQ(std::signal(signal, SIG_DFL), SIG_IGN) << signal;
}

/// Returns what a process writes to standard error while it supervises a shell, and its exit code.
std::pair<std::string, int> supervised(const std::string& script,
                                       std::optional<std::chrono::milliseconds> timeout = {}) {
  testing::internal::CaptureStderr();
  const int code = supervise({"sh", "-c", script}, "dash", timeout);
  return {testing::internal::GetCapturedStderr(), code};
}

TEST(Supervise, ForwardsStandardError) {
  const auto [text, code] = supervised("printf 'a line\nan end' >&2");
  EXPECT_EQ(text, "a line\nan end");
  EXPECT_EQ(code, 0);
}

// As mpirun waits for a machine that it can't reach, after a rank has said what it lost.
TEST(Supervise, KillsWhatRunsForLongAfterARankLostAnother) {
  for (const std::string lost : {"exit_code=75", R"("exit_code":75)"}) {
    const auto [text, code] =
        supervised("printf '" + lost.substr(0, 5) + "' >&2; sleep 0.1; printf '" + lost.substr(5) +
                       "' >&2; exec sleep 600",
                   std::chrono::milliseconds(50));
    EXPECT_TRUE(text.starts_with(lost)) << text;
    EXPECT_EQ(code, 75);
  }
}

TEST(Supervise, OutlivesTheReaderOfStandardError) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDERR_FILENO);
    _exit(supervise({"sh", "-c", "echo a line >&2; sleep 0.3; exit 3"}, "dash"));
  }
  close(ends[1]);
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST(Supervise, WaitsThoughChildrenAreIgnored) {
  std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(supervise({"sh", "-c", "sleep 0.3; exit 3"}, "dash"), 3);
  std::signal(SIGCHLD, SIG_DFL);
}

TEST(Supervise, WaitsForWhatEndsAfterARankLostAnother) {
  const auto [text, code] =
      supervised("echo exit_code=75 >&2; sleep 0.3; exit 3", std::chrono::minutes(10));
  EXPECT_EQ(text, "exit_code=75\n");
  EXPECT_EQ(code, 3);
}

}  // namespace
}  // namespace ganscale::cli
