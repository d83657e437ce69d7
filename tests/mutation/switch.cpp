#include "switch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <utility>

// Programs without GoogleTest are linked with this file, too.
extern "C" {
[[gnu::weak]] void* unit_test_instance() __asm__("_ZN7testing8UnitTest11GetInstanceEv");
[[gnu::weak]] const testing::TestInfo* current_test(const void*) __asm__(
    "_ZNK7testing8UnitTest17current_test_infoEv");
}

namespace ganscale::mutation {
namespace {

int chosen_mutant() {
  const char* text = std::getenv("GANSCALE_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}

/// Returns the case that runs; "*" if none does, as in a program that a test starts.
std::string case_that_runs() {
  if (unit_test_instance == nullptr || current_test == nullptr) return "*";
  const testing::TestInfo* test = current_test(unit_test_instance());
  return test == nullptr ? "*" : std::string(test->test_suite_name()) + "." + test->name();
}

/// Appends to a file which cases reach which mutants. Never destroyed: threads may outlive main().
class Coverage {
 public:
  explicit Coverage(const char* file) : file_(open(file, O_WRONLY | O_CREAT | O_APPEND, 0644)) {}

  void note(int mutant) {
    const std::lock_guard lock(mutex_);
    std::string name = case_that_runs();
    if (!seen_.insert({name, mutant}).second) return;
    const std::string line = std::move(name) + " " + std::to_string(mutant) + "\n";
    if (write(file_, line.data(), line.size()) < 0) std::abort();
  }

 private:
  const int file_;
  std::mutex mutex_;
  std::set<std::pair<std::string, int>> seen_;
};

Coverage* coverage_of_environment() {
  const char* file = std::getenv("GANSCALE_MUTANT_COVERAGE");
  return file == nullptr ? nullptr : new Coverage(file);
}

}  // namespace

bool active(int mutant) {
  static const int chosen = chosen_mutant();
  static Coverage* const coverage = coverage_of_environment();
  if (coverage != nullptr) coverage->note(mutant);
  return mutant == chosen;
}

}  // namespace ganscale::mutation
