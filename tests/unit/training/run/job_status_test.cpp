#include "training/run/job_status.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "base/non_copyable.h"
#include "unit/training/parse_text.h"
#include "wire/names.h"

namespace ganscale::training {
namespace {

/// An environment variable for the length of a test.
class Variable : NonCopyable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

wire::JobStatus status() {
  return first_status(parse("training: {total_kimg: 3}"), RunFolder("/runs/r1"), 4,
                      wire::Preflight{.ranks = 4});
}

TEST(FirstStatus, DescribesTheRun) {
  const auto first = status();
  EXPECT_EQ(first.run, "r1");
  EXPECT_EQ(first.model, "dcgan");
  EXPECT_EQ(first.scheme, "synchronous");
  EXPECT_EQ(first.total_images, 3000);
  EXPECT_EQ(first.world_size, 4);
  EXPECT_EQ(first.restarts, 0);
  EXPECT_EQ(first.images_seen, 0);
  EXPECT_EQ(first.preflight, wire::Preflight{.ranks = 4});
}

TEST(FirstStatus, NamesARunWhosePathEndsWithASlash) {
  const RunConfig config = parse("{}");
  for (const char* path : {"/runs/r1/", "/runs/r1//", "/runs/r1/."}) {
    EXPECT_EQ(first_status(config, RunFolder(path), 1, std::nullopt).run, "r1") << path;
  }
}

TEST(FirstStatus, TakesTheRestartsFromTheOperator) {
  const Variable restarts(wire::environment::kRestarts, "3");
  EXPECT_EQ(status().restarts, 3);
}

/// Returns what is printed of a status.
std::string printed_of(const wire::JobStatus& status) {
  testing::internal::CaptureStdout();
  print_last_status(status);
  return testing::internal::GetCapturedStdout();
}

/// Returns the status that was printed.
wire::JobStatus status_in(const std::string& text) {
  EXPECT_THAT(text, testing::StartsWith(wire::kLastStatus));
  return wire::parse_job_status(
      nlohmann::ordered_json::parse(text.substr(std::string(wire::kLastStatus).size())));
}

TEST(LastStatus, IsPrintedOnlyOnRequest) {
  EXPECT_EQ(printed_of(status()), "");
  const Variable leave(wire::environment::kLeaveStatus, "1");
  EXPECT_EQ(status_in(printed_of(status())), status());
}

TEST(LastStatus, ReplacesWhatIsNotUtf8InTheNameOfARun) {
  const Variable leave(wire::environment::kLeaveStatus, "1");
  const wire::JobStatus of_run =
      first_status(parse("{}"), RunFolder("/runs/caf\xe9"), 1, std::nullopt);
  EXPECT_EQ(status_in(printed_of(of_run)).run, "caf\uFFFD");
}

}  // namespace
}  // namespace ganscale::training
