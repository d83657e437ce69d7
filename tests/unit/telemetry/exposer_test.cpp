#include "telemetry/exposer.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/expect_error.h"
#include "support/loopback_http.h"
#include "telemetry/registry.h"

namespace ganscale::telemetry {
namespace {

using testing::HasSubstr;

const Endpoint kAnyPort{.address = "127.0.0.1", .port = 0};

void measure(Instruments& instruments, int rank) {
  instruments.images_total.add(100 + rank);
  instruments.step_seconds.observe(0.15);
  instruments.phase_seconds_total.at("discriminator").add(1.5);
  instruments.loss.at("generator").set(0.25);
}

/// Runs rank 1 of two in a process of its own, until it has measured.
void run_other_rank(RegistryOptions options) {
  const pid_t child = fork();
  if (child == 0) {
    options.rank = options.local_rank = 1;
    Registry registry(options);
    measure(registry.instruments(), 1);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
}

std::string scrape_two_ranks() {
  const RegistryOptions options{.run = "faces \"night\"",
                                .rank = 0,
                                .local_rank = 0,
                                .local_size = 2,
                                .segment = "test-" + std::to_string(getpid()) + "-exposer"};
  run_other_rank(options);
  Registry registry(options);
  measure(registry.instruments(), 0);
  const Exposer exposer(kAnyPort, [&] { return registry.collect(); });
  const HttpAnswer answer = http_request(exposer.port(), "GET /metrics");
  EXPECT_EQ(answer.status, 200);
  return answer.body;
}

/// Scrapes once for all cases.
const std::string& two_ranks() {
  static const std::string text = scrape_two_ranks();
  return text;
}

TEST(Exposer, ShowsTheRanksOfTwoProcessesOnOnePort) {
  const std::string& text = two_ranks();
  const std::string run = R"(run="faces \"night\"")";
  EXPECT_THAT(text, HasSubstr("# TYPE ganscale_images_total counter\n"));
  EXPECT_THAT(text, HasSubstr("ganscale_images_total{" + run + ",rank=\"0\"} 100\n"));
  EXPECT_THAT(text, HasSubstr("ganscale_images_total{" + run + ",rank=\"1\"} 101\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE ganscale_step_seconds histogram\n"));
  EXPECT_THAT(text,
              HasSubstr("ganscale_step_seconds_bucket{" + run + ",rank=\"1\",le=\"0.1\"} 0\n"));
  EXPECT_THAT(text,
              HasSubstr("ganscale_step_seconds_bucket{" + run + ",rank=\"1\",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ganscale_step_seconds_count{" + run + ",rank=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("{" + run + ",rank=\"0\",phase=\"discriminator\"} 1.5\n"));
  EXPECT_THAT(text,
              HasSubstr("ganscale_loss{" + run + ",rank=\"1\",network=\"generator\"} 0.25\n"));
}

TEST(Exposer, PassesPromtool) {
  if (std::system("promtool --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "promtool is not installed (Debian package prometheus)";
  }
  const auto file =
      std::filesystem::temp_directory_path() / ("ganscale-metrics-" + std::to_string(getpid()));
  std::ofstream(file) << two_ranks();
  EXPECT_EQ(std::system(("promtool check metrics < " + file.string()).c_str()), 0);
  std::filesystem::remove(file);
}

TEST(Exposer, AnswersDuringRequestsThatNeverEnd) {
  const Exposer exposer(kAnyPort, [] { return std::vector<Family>{}; });
  const auto half_open = open_half_requests(exposer.port(), 150);
  EXPECT_EQ(http_request(exposer.port(), "GET /metrics").status, 200);
}

/// As much as CUDA's libraries keep for each thread, for which a small stack has no room.
thread_local std::array<char, 256 * 1024> kept_for_each_thread;

TEST(Exposer, StartsWhereLibrariesKeepMuchForEachThread) {
  kept_for_each_thread.fill('a');
  const Exposer exposer(kAnyPort, [] { return std::vector<Family>{}; });
  EXPECT_EQ(http_request(exposer.port(), "GET /metrics").status, 200);
}

TEST(Exposer, HasNothingButGetMetrics) {
  const Exposer exposer(kAnyPort, [] { return std::vector<Family>{}; });
  EXPECT_EQ(http_request(exposer.port(), "GET /").status, 404);
  EXPECT_EQ(http_request(exposer.port(), "POST /metrics").status, 405);
}

TEST(Exposer, NamesTheSettingOfAnAddressThatIsNotOfThisMachine) {
  expect_error(ExitCode::kConfig, "--metrics-address: not an IPv4 address of this machine", [] {
    const Exposer exposer({.address = "203.0.113.1", .address_setting = "--metrics-address"},
                          [] { return std::vector<Family>{}; });
  });
}

TEST(Exposer, RefusesAPortThatIsTaken) {
  const Exposer first(kAnyPort, [] { return std::vector<Family>{}; });
  expect_error(ExitCode::kConfig, "telemetry.metrics_port: can't listen on 127.0.0.1:", [&] {
    const Exposer second({.address = "127.0.0.1", .port = first.port()},
                         [] { return std::vector<Family>{}; });
  });
}

}  // namespace
}  // namespace ganscale::telemetry
