#include "training/loop/step_profile.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "comm/backends/thread_group.h"
#include "files/atomic_file.h"
#include "support/temporary_folder.h"

namespace ganscale::training {
namespace {

nlohmann::json read_json(const std::filesystem::path& file) {
  return nlohmann::json::parse(files::read_file(file));
}

bool has_event(const nlohmann::json& trace, const std::string& name) {
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("name") == name) return true;
  }
  return false;
}

TEST(StepProfile, WritesWhatTheStepsOfItsWindowDid) {
  const TemporaryFolder run;
  const RunFolder folder(run / "run");
  const auto group = comm::make_single_group();
  StepProfile profile({.warmup_steps = 1, .steps = 2});
  profile.begin();
  const auto a = at::rand({256, 256});
  a.sub(1);  // a step of the warm-up
  profile.step({});
  a.mm(a);
  profile.step({});
  profile.write_if_over(*group, folder);
  EXPECT_FALSE(std::filesystem::exists(folder.profile())) << "another step of the window is due";
  a.add(1);
  profile.step({.role = RoleStep{.network = wire::Role::kGenerator}});
  a.exp();  // after the window
  profile.step({});
  testing::internal::CaptureStderr();
  profile.write_if_over(*group, folder);
  const std::string logged = testing::internal::GetCapturedStderr();
  EXPECT_THAT(logged, testing::HasSubstr("Profile of rank 0, generator: "));
  EXPECT_THAT(logged, testing::HasSubstr("matrix_product "));

  const auto rank = read_json(folder.profile()).at("ranks").at(0);
  EXPECT_EQ(rank.at("name"), "rank 0, generator");
  EXPECT_EQ(rank.at("steps"), 2);
  EXPECT_GT(rank.at("seconds").at("matrix_product"), 0);
  const auto trace = read_json(folder.trace());
  EXPECT_TRUE(has_event(trace, "aten::mm"));
  EXPECT_TRUE(has_event(trace, "aten::add"));
  EXPECT_FALSE(has_event(trace, "aten::sub"));
  EXPECT_FALSE(has_event(trace, "aten::exp"));

  std::filesystem::remove(folder.profile());
  profile.write_if_over(*group, folder);
  EXPECT_FALSE(std::filesystem::exists(folder.profile())) << "once";
}

TEST(StepProfile, OfOneStepBeginsAtOnce) {
  const TemporaryFolder run;
  const RunFolder folder(run / "run");
  StepProfile profile({.warmup_steps = 0, .steps = 1});
  profile.begin();
  profile.step({});
  profile.write_if_over(*comm::make_single_group(), folder);
  EXPECT_EQ(read_json(folder.profile()).at("ranks").at(0).at("steps"), 1);
}

// Only the first rank's window is over; the other has not begun its own.
TEST(StepProfile, WaitsForTheWindowsOfAllRanks) {
  const TemporaryFolder run;
  const RunFolder folder(run / "run");
  comm::run_ranks(2, [&](comm::Group& group) {
    StepProfile profile({.warmup_steps = 5 * group.rank(), .steps = 1});
    profile.begin();
    profile.step({});
    profile.write_if_over(group, folder);
  });
  EXPECT_FALSE(std::filesystem::exists(folder.profile()));
}

TEST(StepProfile, DoesNothingUnlessAskedTo) {
  const TemporaryFolder run;
  const RunFolder folder(run / "run");
  StepProfile profile({});
  profile.begin();
  for (int i = 0; i < 20; ++i) profile.step({});
  profile.write_if_over(*comm::make_single_group(), folder);
  EXPECT_FALSE(std::filesystem::exists(folder.profile()));
}

}  // namespace
}  // namespace ganscale::training
