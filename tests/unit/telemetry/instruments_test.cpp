#include "telemetry/instruments.h"

#include <gtest/gtest.h>

#include <set>

#include "wire/names.h"

namespace ganscale::telemetry {
namespace {

const Instrument& instrument_of(const std::string& name) {
  for (const Instrument& instrument : instrument_table()) {
    if (instrument.name == name) return instrument;
  }
  throw std::runtime_error("no such instrument: " + name);
}

TEST(InstrumentTable, HasEachNameAndEachMemberOnce) {
  std::set<std::string> names;
  std::set<std::ptrdiff_t> places;
  const Instruments instruments{};
  for (const Instrument& instrument : instrument_table()) {
    EXPECT_TRUE(names.insert(instrument.name).second) << instrument.name;
    const auto* address = std::visit(
        [&](auto member) { return reinterpret_cast<const char*>(&(instruments.*member)); },
        instrument.member);
    const auto place = address - reinterpret_cast<const char*>(&instruments);
    EXPECT_TRUE(places.insert(place).second) << instrument.name;
  }
}

// Prometheus, "Metric and label naming": a prefix of the application, base units, _total for
// counters.
TEST(InstrumentTable, FollowsTheNamesOfPrometheus) {
  for (const Instrument& instrument : instrument_table()) {
    EXPECT_TRUE(instrument.name.starts_with("ganscale_")) << instrument.name;
    const bool is_counter =
        std::holds_alternative<Counter Instruments::*>(instrument.member) ||
        std::holds_alternative<Labeled<Counter> Instruments::*>(instrument.member);
    EXPECT_EQ(instrument.name.ends_with("_total"), is_counter) << instrument.name;
    EXPECT_FALSE(instrument.help.empty()) << instrument.name;
    EXPECT_TRUE(instrument.help.ends_with(".")) << instrument.name;
  }
}

TEST(InstrumentTable, NamesTheLabelOfWhatHasOne) {
  for (const Instrument& instrument : instrument_table()) {
    const bool is_labeled =
        std::holds_alternative<Labeled<Counter> Instruments::*>(instrument.member) ||
        std::holds_alternative<Labeled<Gauge> Instruments::*>(instrument.member);
    EXPECT_EQ(!instrument.label.empty(), is_labeled) << instrument.name;
  }
  EXPECT_EQ(instrument_of(wire::metric::kLoss).label, "network");
  EXPECT_EQ(instrument_of(wire::metric::kNonfiniteTotal).label, "phase");
}

TEST(InstrumentTable, PointsAtTheMemberOfThatName) {
  Instruments instruments{};
  instruments.fid.set(12);
  const auto member = std::get<Gauge Instruments::*>(instrument_of(wire::metric::kFid).member);
  EXPECT_EQ((instruments.*member).value(), 12);
}

TEST(Bounds, Ascend) {
  EXPECT_TRUE(std::is_sorted(kStepSecondsBounds.begin(), kStepSecondsBounds.end()));
  EXPECT_TRUE(std::is_sorted(kStalenessBounds.begin(), kStalenessBounds.end()));
  EXPECT_EQ(kStalenessBounds.front(), 0);
}

}  // namespace
}  // namespace ganscale::telemetry
