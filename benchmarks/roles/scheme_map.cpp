// Simulates how many images a second scheme asynchronous trains with, relative to scheme
// synchronous on the same ranks with the same global batch. Prints Markdown and draws a plot.
//   scheme_map [FILE.svg]
//
// The unit of time is a step of synchronous, in which each rank trains both networks on its part of
// the batch. A share of the step is fixed: it does not get shorter with more ranks (all-reduces,
// launches). Asynchronous trains each network on the ranks of one role, with the same batch. What
// the roles exchange takes no time here. All steps are alike (loss.critic_steps 1, no lazy phases),
// and G trains before D.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "files/atomic_file.h"
#include "markup/axis.h"
#include "markup/drawing.h"
#include "markup/plot.h"
#include "planning/simulation/steps.h"
#include "wire/role_plan.h"

namespace {

using namespace ganscale;  // NOLINT: a program of one file
using markup::css;
using markup::label;

/// How a training scales, and on how many ranks.
struct Case {
  int ranks = 2;
  double jitter = 0;  ///< standard deviation of a rank's step, relative
  double fixed = 0;   ///< share of a synchronous step
};

/// A ratio of ranks and its color.
struct Split {
  wire::RoleRatio ratio;
  const char* name;
  const char* color;
};

constexpr std::array kRanks = {2, 8, 64, 1024};
constexpr std::array kJitters = {0.01, 0.2};
constexpr std::array kFixedShares = {0.0, 0.5};
constexpr std::array kStalenesses = {0, 1, 4};
constexpr std::array kSplits = {Split{{1, 1}, "1:1", "s1"}, Split{{1, 3}, "1:3", "s2"},
                                Split{{3, 1}, "3:1", "s3"}};

/// The cost of G relative to D's.
struct Cost {
  double ratio;
  const char* name;
};
constexpr std::array kCosts = {Cost{1.0 / 8, "1:8"}, Cost{1.0 / 4, "1:4"}, Cost{1.0 / 3, "1:3"},
                               Cost{1.0 / 2, "1:2"}, Cost{1, "1:1"},       Cost{2, "2:1"},
                               Cost{3, "3:1"},       Cost{4, "4:1"},       Cost{8, "8:1"}};

/// Relative images a second for each of kCosts.
using Curve = std::array<double, kCosts.size()>;

bool fits(const Split& split, const Case& on) { return on.ranks % split.ratio.sum() == 0; }

/// Returns whole intervals between agreements, fewer of them on more ranks: their mean is steadier.
int steps_on(int ranks) {
  constexpr int kRankSteps = 1 << 15;
  const int steps = std::clamp(kRankSteps / ranks, 96, 1600);
  return steps - steps % wire::kStepsBetweenAgreements;
}

/// Returns ranks that train what takes a share of a synchronous step on all ranks.
planning::Team team_of(int ranks, double share, const Case& on) {
  return {.ranks = ranks,
          .steps = {planning::Load{.rank_seconds = share * (1 - on.fixed) * on.ranks / ranks,
                                   .shared_seconds = share * on.fixed}}};
}

/// The schemes in one case.
class Comparison {
 public:
  explicit Comparison(const Case& on)
      : on_(on), synchronous_seconds_(seconds_of(std::array{team_of(on.ranks, 1, on)})) {}

  /// Returns the images a second of asynchronous relative to synchronous. cost: of G, relative.
  double speed(const Split& split, int max_staleness, double cost) const {
    const int generators = wire::RolePlan(split.ratio, on_.ranks).size(wire::Role::kGenerator);
    const double share = cost / (1 + cost);
    const auto roles =
        planning::with_staleness({.generator = team_of(generators, share, on_),
                                  .discriminator = team_of(on_.ranks - generators, 1 - share, on_)},
                                 max_staleness);
    return synchronous_seconds_ / seconds_of(std::array{roles.generator, roles.discriminator});
  }

  Curve curve(const Split& split, int max_staleness) const {
    Curve speeds;
    for (std::size_t i = 0; i < kCosts.size(); ++i) {
      speeds[i] = speed(split, max_staleness, kCosts[i].ratio);
    }
    return speeds;
  }

 private:
  double seconds_of(std::span<const planning::Team> teams) const {
    const planning::Noise noise{.jitter = on_.jitter};
    return planning::simulate_steps(teams, noise, steps_on(on_.ranks), /*seed=*/1).seconds;
  }

  Case on_;
  double synchronous_seconds_;
};

/// Returns the least fixed share, in percent, from which on two equal roles beat synchronous.
int break_even_percent(int ranks, double jitter) {
  int percent = 0;
  const auto is_faster = [&] {
    const Comparison schemes({ranks, jitter, percent / 100.0});
    return schemes.speed(kSplits[0], /*max_staleness=*/1, /*cost=*/1) > 1;
  };
  while (percent < 100 && !is_faster()) ++percent;
  return percent;
}

std::string conditions_of(const Case& on) {
  return fmt::format("jitter {:.0f}%, fixed share {:.0f}%", 100 * on.jitter, 100 * on.fixed);
}

constexpr int kWidth = 960;
constexpr double kPanelWidth = 195;
constexpr double kPanelHeight = 120;
constexpr double kHighest = 1.5;

constexpr int rows_of_panels() { return kJitters.size() * kFixedShares.size(); }
constexpr int height_of_map() { return 48 + 188 * rows_of_panels() + 52; }

/// The plot of one case.
class Panel {
 public:
  Panel(int column, int row)
      : is_first_(column == 0), frame_{48 + 230.0 * column, 92 + 188.0 * row} {
    frame_.width = kPanelWidth;
    frame_.height = kPanelHeight;
  }

  std::string grid(const Case& on) const {
    std::string svg =
        label(frame_.left, frame_.top - 8, css("soft"), fmt::format("{} ranks", on.ranks));
    if (is_first_) svg += label(frame_.left, frame_.top - 26, css(""), conditions_of(on));
    for (std::size_t i = 0; i < kCosts.size(); i += 2) {
      svg += markup::line(x(i), frame_.top, x(i), frame_.bottom(), "grid");
      svg += label(x(i), frame_.bottom() + 16, css("middle soft"), kCosts[i].name);
    }
    for (const double speed : {0.0, 0.5, 1.0, 1.5}) {
      svg += markup::line(frame_.left, y(speed), frame_.right(), y(speed),
                          speed == 1 ? "line s5" : "grid");
      if (!is_first_) continue;
      svg += label(frame_.left - 8, y(speed) + 4, css("end soft"), fmt::format("{:.1f}", speed));
    }
    return svg;
  }

  /// Dashed without staleness, points with the most, else a line.
  std::string curve(const Curve& speeds, const Split& split, int max_staleness) const {
    std::string path;
    std::string points;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', x(i), y(speeds[i]));
      points += markup::point(x(i), y(speeds[i]), split.color,
                              fmt::format("ratio {}, cost {}, max_staleness {}: {:.2f}", split.name,
                                          kCosts[i].name, max_staleness, speeds[i]));
    }
    if (max_staleness == kStalenesses.back()) return points;
    const std::string style = max_staleness == 0 ? "ideal " : "line ";
    return markup::empty_element("path", {{"class", style + split.color}, {"d", path}});
  }

 private:
  double x(std::size_t cost) const {
    const markup::LogAxis axis{kCosts.front().ratio, kCosts.back().ratio};
    return frame_.x(axis.share(kCosts[cost].ratio));
  }
  double y(double speed) const { return frame_.y(std::min(speed, kHighest) / kHighest); }

  bool is_first_;  ///< of its row
  markup::Frame frame_;
};

std::string legend() {
  std::string svg;
  const double y = height_of_map() - 16;
  double x = 48;
  for (const Split& split : kSplits) {
    svg += markup::area({x, y - 10, 11, 11, split.color});
    svg += label(x + 16, y, css(""), split.name);
    x += 56;
  }
  return svg + label(x, y, css("soft"),
                     "ranks of G : D. Lines: max_staleness 1, points: 4, dashed: 0, gray: "
                     "synchronous. Horizontal: cost of G : cost of D");
}

/// A row of a table for each ratio and staleness of a case, and its plot.
struct Drawn {
  std::string table;
  std::string svg;
};

Drawn draw_case(const Case& on, const Panel& panel) {
  Drawn drawn{.table = {}, .svg = panel.grid(on)};
  const Comparison schemes(on);
  for (const Split& split : kSplits) {
    if (!fits(split, on)) continue;
    for (const int staleness : kStalenesses) {
      const Curve curve = schemes.curve(split, staleness);
      drawn.svg += panel.curve(curve, split, staleness);
      drawn.table += fmt::format("| {} | {} | {} |", on.ranks, split.name, staleness);
      for (const double speed : curve) drawn.table += fmt::format(" {:.2f} |", speed);
      drawn.table += "\n";
    }
  }
  return drawn;
}

std::string draw_map() {
  constexpr const char* kTitle = "Images per second of asynchronous relative to synchronous";
  std::string svg = label(20, 24, css("title"), kTitle);
  int row = 0;
  for (const double fixed : kFixedShares) {
    for (const double jitter : kJitters) {
      std::string head = "| ranks | ratio | max_staleness |";
      std::string rule = "|---|---|---|";
      for (const Cost& cost : kCosts) {
        head += fmt::format(" {} |", cost.name);
        rule += "---|";
      }
      std::string table = head + "\n" + rule + "\n";
      for (std::size_t column = 0; column < kRanks.size(); ++column) {
        const Case on{kRanks[column], jitter, fixed};
        const Drawn drawn = draw_case(on, {static_cast<int>(column), row});
        table += drawn.table;
        svg += drawn.svg;
      }
      fmt::print("\n{}; by cost of G : cost of D\n\n{}", conditions_of({2, jitter, fixed}), table);
      ++row;
    }
  }
  return markup::drawing(kWidth, height_of_map(), kTitle, svg + legend()) + "\n";
}

void print_break_even() {
  std::string table = "| ranks |";
  for (const double jitter : kJitters) table += fmt::format(" jitter {:.0f}% |", 100 * jitter);
  table += "\n|---|---|---|\n";
  for (const int ranks : kRanks) {
    table += fmt::format("| {} |", ranks);
    for (const double jitter : kJitters) {
      table += fmt::format(" {}% |", break_even_percent(ranks, jitter));
    }
    table += "\n";
  }
  fmt::print(
      "Fixed share from which on asynchronous 1:1 is faster, if both networks cost the "
      "same\n\n{}",
      table);
}

}  // namespace

int main(int count, char** words) {
  print_break_even();
  const std::string svg = draw_map();
  if (count > 1) files::write_file_atomically(words[1], svg);
  return 0;
}
