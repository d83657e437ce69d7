#include "profile/time_shares.h"

#include <gtest/gtest.h>

#include "profile/scopes.h"

namespace ganscale::profile {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kTrainer = 7;

Event on_thread(const std::string& name, std::int64_t begin, std::int64_t end,
                std::uint64_t correlation = 0) {
  return {.name = name,
          .begin_ns = begin * kSecond,
          .end_ns = end * kSecond,
          .track = kTrainer,
          .correlation = correlation};
}

Event on_device(std::int64_t begin, std::int64_t end, std::uint64_t caller) {
  return {.name = "void kernel<float>(...)",
          .begin_ns = begin * kSecond,
          .end_ns = end * kSecond,
          .track = 13,
          .on_device = true,
          .caller = caller};
}

Recording recorded(std::vector<Event> events) {
  return {.begin_ns = 0, .end_ns = 20 * kSecond, .thread = kTrainer, .events = std::move(events)};
}

double seconds(const KindSeconds& all, Kind kind) { return all[static_cast<std::size_t>(kind)]; }

double sum(const KindSeconds& all) {
  double total = 0;
  for (const double kind : all) total += kind;
  return total;
}

TEST(SecondsByKind, ChargesEveryMomentToTheInnermostOperator) {
  // A convolution that copies its input and allocates its result; an addition; a wait.
  const auto all =
      seconds_by_kind(recorded({on_thread("aten::conv2d", 1, 9),
                                on_thread("aten::contiguous", 2, 4), on_thread("aten::empty", 5, 6),
                                on_thread("aten::add", 10, 11), on_thread(kDataWait, 12, 17)}));
  EXPECT_DOUBLE_EQ(seconds(all, Kind::kConvolution), 6);
  EXPECT_DOUBLE_EQ(seconds(all, Kind::kLayout), 2);
  EXPECT_DOUBLE_EQ(seconds(all, Kind::kElementwise), 1);
  EXPECT_DOUBLE_EQ(seconds(all, Kind::kDataWait), 5);
  EXPECT_DOUBLE_EQ(seconds(all, Kind::kHost), 6);
  EXPECT_DOUBLE_EQ(sum(all), 20);
}

TEST(SecondsByKind, LeavesOtherThreadsOut) {
  Event other = on_thread("aten::mm", 0, 20);
  other.track = kTrainer + 1;
  EXPECT_DOUBLE_EQ(seconds(seconds_by_kind(recorded({other})), Kind::kHost), 20);
}

TEST(SecondsByKind, OfADeviceHaveTheKindsOfTheOperatorsThatStartedItsKernels) {
  const auto all =
      seconds_by_kind(recorded({on_thread("aten::mm", 0, 1, 41), on_thread("aten::add", 1, 2, 42),
                                on_device(3, 9, 41), on_device(7, 11, 42), on_device(18, 25, 42)}));
  EXPECT_DOUBLE_EQ(seconds(all, Kind::kMatrixProduct), 5) << "4 alone, half of 2";
  EXPECT_DOUBLE_EQ(seconds(all, Kind::kElementwise), 5)
      << "half of 2, 2 alone, 2 of what continues";
  EXPECT_DOUBLE_EQ(seconds(all, Kind::kIdle), 10);
  EXPECT_DOUBLE_EQ(sum(all), 20);
}

}  // namespace
}  // namespace ganscale::profile
