#include "training/loop/evaluate_averages.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "checkpoint/retention.h"

namespace ganscale::training {
namespace {

bool is_better(double value, double than, checkpoint::Better better) {
  if (std::isnan(value)) return false;
  if (std::isnan(than)) return true;
  return better == checkpoint::Better::kLower ? value < than : value > than;
}

}  // namespace

std::optional<BestAverage> best_average(
    const metrics::Measurements& average, double kimg,
    const std::vector<std::pair<double, metrics::Measurements>>& others) {
  const auto deciding = std::ranges::find_if(average.values, [](const auto& item) {
    return checkpoint::better_direction(item.first).has_value();
  });
  if (deciding == average.values.end()) return std::nullopt;
  const auto better = *checkpoint::better_direction(deciding->first);
  BestAverage best{deciding->first, kimg, deciding->second};
  for (const auto& [other_kimg, measured] : others) {
    const double value = measured.values.at(best.metric);
    if (is_better(value, best.value, better)) best = {best.metric, other_kimg, value};
  }
  return best;
}

metrics::Measurements evaluate_averages(Evaluator& evaluator, models::Generator& average,
                                        double kimg, const std::vector<OtherAverage>& others,
                                        std::uint64_t seed) {
  metrics::Measurements all = evaluator.evaluate(average, seed);
  if (others.empty()) return all;
  std::vector<std::pair<double, metrics::Measurements>> measured;
  for (const OtherAverage& other : others) {
    measured.emplace_back(other.kimg, evaluator.evaluate(*other.generator, seed));
  }
  if (const auto best = best_average(all, kimg, measured)) {
    log::info("The best average of the generator",
              {{"metric", best->metric}, {"value", best->value}, {"ema_kimg", best->kimg}});
  }
  for (const auto& [other_kimg, other] : measured) {
    auto renamed = metrics::of_average(other, other_kimg);
    all.values.merge(renamed.values);
    all.by_label.merge(renamed.by_label);
  }
  return all;
}

std::vector<std::string> measured_names(const std::vector<metrics::MetricName>& wanted,
                                        const std::vector<double>& other_kimg) {
  std::vector<std::string> names;
  for (const metrics::MetricName& metric : wanted) {
    for (const std::string& name : metrics::value_names(metric)) {
      names.push_back(name);
      for (const double kimg : other_kimg) names.push_back(metrics::name_of_average(name, kimg));
    }
  }
  return names;
}

}  // namespace ganscale::training
