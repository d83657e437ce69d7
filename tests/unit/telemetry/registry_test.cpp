#include "telemetry/registry.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ganscale::telemetry {
namespace {

RegistryOptions options(int rank, int local_rank, int local_size, const std::string& segment) {
  return {.run = "faces",
          .rank = rank,
          .local_rank = local_rank,
          .local_size = local_size,
          .segment = "test-" + std::to_string(getpid()) + "-" + segment};
}

std::optional<Family> find(const std::vector<Family>& families, const std::string& name) {
  const auto family = std::find_if(families.begin(), families.end(),
                                   [&](const Family& f) { return f.name == name; });
  return family == families.end() ? std::nullopt : std::optional(*family);
}

using Labels = std::vector<std::pair<std::string, std::string>>;

TEST(Registry, LabelsEveryValueWithRunAndRank) {
  Registry registry(options(5, 0, 1, "labels"));
  registry.instruments().images_total.add(64);
  registry.instruments().loss.at("generator").set(0.5);
  const auto families = registry.collect();
  const auto images = find(families, "ganscale_images_total");
  ASSERT_TRUE(images);
  EXPECT_EQ(images->type, Type::kCounter);
  ASSERT_EQ(images->samples.size(), 1U);
  EXPECT_EQ(images->samples[0].value, 64);
  EXPECT_EQ(images->samples[0].labels, (Labels{{"run", "faces"}, {"rank", "5"}}));
  const auto loss = find(families, "ganscale_loss");
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->samples[0].labels,
            (Labels{{"run", "faces"}, {"rank", "5"}, {"network", "generator"}}));
}

TEST(Registry, ShowsTheBuildOfItsRanks) {
  RegistryOptions with_build = options(3, 0, 1, "build");
  with_build.build = {{"version", "0.1.0"}, {"commit", "abc"}};
  const auto info = find(Registry(with_build).collect(), "ganscale_build_info");
  ASSERT_TRUE(info);
  ASSERT_EQ(info->samples.size(), 1U);
  EXPECT_EQ(info->samples[0].value, 1);
  EXPECT_EQ(info->samples[0].labels,
            (Labels{{"run", "faces"}, {"rank", "3"}, {"version", "0.1.0"}, {"commit", "abc"}}));
  EXPECT_FALSE(find(Registry(options(3, 0, 1, "none")).collect(), "ganscale_build_info"));
}

TEST(Registry, ReplacesWhatIsNotUtf8InTheNameOfARun) {
  RegistryOptions named = options(0, 0, 1, "bytes");
  named.run = "caf\xe9";
  const auto images = find(Registry(named).collect(), "ganscale_images_total");
  ASSERT_TRUE(images);
  EXPECT_EQ(images->samples.at(0).labels, (Labels{{"run", "caf\xef\xbf\xbd"}, {"rank", "0"}}));
}

TEST(Registry, LeavesOutWhatWasNeverMeasured) {
  const Registry registry(options(0, 0, 1, "unset"));
  const auto families = registry.collect();
  for (const char* name : {"ganscale_fid", "ganscale_loss", "ganscale_staleness_steps"}) {
    EXPECT_FALSE(find(families, name)) << name;
  }
  EXPECT_TRUE(find(families, "ganscale_images_total"));
}

TEST(Registry, GivesCumulativeBuckets) {
  Registry registry(options(0, 0, 1, "buckets"));
  for (const double steps : {0.0, 1.0, 1.0, 3.0, 1000.0}) {
    registry.instruments().staleness_steps.observe(steps);
  }
  const auto family = find(registry.collect(), "ganscale_staleness_steps");
  ASSERT_TRUE(family);
  EXPECT_EQ(family->type, Type::kHistogram);
  const Sample& sample = family->samples.at(0);
  EXPECT_EQ(sample.value, 1005);
  std::vector<std::uint64_t> counts;
  for (const auto& bucket : sample.buckets) counts.push_back(bucket.cumulative_count);
  // Bounds 0, 1, 2, 4, 8, 16, 32, 64, +Inf.
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{1, 3, 3, 4, 4, 4, 4, 4, 5}));
  EXPECT_TRUE(std::isinf(sample.buckets.back().upper_bound));
}

TEST(Registry, ShowsTheRanksThatHaveCome) {
  Registry first(options(8, 0, 2, "come"));
  EXPECT_EQ(find(first.collect(), "ganscale_images_total")->samples.size(), 1U);
  Registry second(options(9, 1, 2, "come"));
  second.instruments().images_total.add(3);
  const auto images = find(first.collect(), "ganscale_images_total");
  ASSERT_EQ(images->samples.size(), 2U);
  EXPECT_EQ(images->samples[1].labels[1].second, "9");
  EXPECT_EQ(images->samples[1].value, 3);
}

TEST(Registry, StillShowsARankWhoseProcessWasKilled) {
  const RegistryOptions own = options(0, 0, 2, "killed");
  Registry registry(own);
  const pid_t child = fork();
  if (child == 0) {
    RegistryOptions other = own;
    other.rank = other.local_rank = 1;
    Registry in_child(other);
    in_child.instruments().images_total.add(7);
    kill(getpid(), SIGKILL);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const auto families = registry.collect();
  const auto images = find(families, "ganscale_images_total");
  ASSERT_EQ(images->samples.size(), 2U);
  EXPECT_EQ(images->samples[1].value, 7);
  EXPECT_EQ(find(families, "process_cpu_seconds_total")->samples.size(), 1U);
}

TEST(Registry, ShowsWhatTheProcessUses) {
  const Registry registry(options(0, 0, 1, "usage"));
  const auto memory = find(registry.collect(), "process_resident_memory_bytes");
  ASSERT_TRUE(memory);
  EXPECT_GT(memory->samples.at(0).value, 1 << 20);
}

TEST(Registry, ShowsTheUsageOfAProcessOnceIfItsThreadsAreRanks) {
  const Registry first(options(0, 0, 2, "threads"));
  const Registry second(options(1, 1, 2, "threads"));
  const auto memory = find(first.collect(), "process_resident_memory_bytes");
  ASSERT_EQ(memory->samples.size(), 1U);
  EXPECT_EQ(memory->samples[0].labels[1].second, "0");
}

}  // namespace
}  // namespace ganscale::telemetry
