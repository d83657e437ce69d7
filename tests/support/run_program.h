#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace ganscale {

/// What a program printed (standard output and error), and what it exited with; -1 for a signal.
struct ProgramResult {
  std::string output;
  int exit_code = -1;
};

/// Runs a shell command and waits for it.
inline ProgramResult run_program(const std::string& command) {
  ProgramResult result;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.output.append(buffer.data(), length);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace ganscale
