#include "telemetry/values.h"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/expect_error.h"

namespace ganscale::telemetry {
namespace {

constexpr std::array kBounds{1.0, 2.0};

TEST(Histogram, PutsAnObservationUnderTheFirstBoundNotBelowIt) {
  Histogram<kBounds> histogram;
  for (const double value : {0.5, 1.0, 1.5, 2.5, 99.0}) histogram.observe(value);
  EXPECT_EQ(histogram.count(0), 2U);
  EXPECT_EQ(histogram.count(1), 1U);
  EXPECT_EQ(histogram.count(2), 2U);
  EXPECT_EQ(histogram.sum(), 104.5);
}

TEST(Gauge, IsNotSetBeforeItsFirstValue) {
  Gauge gauge;
  EXPECT_FALSE(gauge.is_set());
  gauge.set(0);
  EXPECT_TRUE(gauge.is_set());
}

TEST(Labeled, GivesEachWordItsOwnValue) {
  Labeled<Counter> seconds;
  seconds.at("generator").add(1);
  seconds.at("discriminator").add(2);
  seconds.at("generator").add(3);
  std::vector<std::pair<std::string, double>> seen;
  seconds.for_each([&](const char* word, const Counter& c) { seen.emplace_back(word, c.value()); });
  EXPECT_EQ(seen,
            (std::vector<std::pair<std::string, double>>{{"generator", 4}, {"discriminator", 2}}));
}

TEST(Labeled, LosesNothingWhenThreadsNameWordsAtOnce) {
  Labeled<Counter> count;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1600; ++i) count.at("word" + std::to_string(i % 16)).add(1);
    });
  }
  for (auto& thread : threads) thread.join();
  int words = 0;
  count.for_each([&](const char*, const Counter& value) {
    ++words;
    EXPECT_EQ(value.value(), 400);
  });
  EXPECT_EQ(words, 16);
}

TEST(Labeled, RefusesOneWordTooManyAndAWordTooLong) {
  Labeled<Gauge> gauge;
  for (std::size_t word = 0; word < Labeled<Gauge>::kWords; ++word) {
    gauge.at(std::to_string(word)).set(1);
  }
  expect_error(ExitCode::kBug, "at most 16 words", [&] { gauge.at("more"); });
  expect_error(ExitCode::kBug, "shorter than 48 bytes", [&] { gauge.at(std::string(48, 'x')); });
}

}  // namespace
}  // namespace ganscale::telemetry
