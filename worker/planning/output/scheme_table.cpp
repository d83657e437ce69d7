#include "planning/output/scheme_table.h"

#include <fmt/format.h>

namespace ganscale::planning {
namespace {

std::string reason_of(const SchemeAdvice& advice) {
  if (!advice.asynchronous) {
    return "use synchronous; no ratio of roles divides the GPUs of a node and the batch.";
  }
  const double percent = 100 * advice.asynchronous_gain();
  const std::string asynchronous = to_text(advice.asynchronous->choice);
  if (advice.advised().choice.ratio) {
    return fmt::format("use {}, which has {:.1f}% more images/s than synchronous.", asynchronous,
                       percent);
  }
  const std::string difference = percent < 0 ? fmt::format("has {:.1f}% fewer images/s", -percent)
                                             : fmt::format("gains only {:.1f}%", percent);
  return "use synchronous; " + asynchronous + ", " + difference + ".";
}

std::string configuration_of(const SchemeChoice& choice) {
  std::string options;
  if (choice.ratio) {
    options = fmt::format(", ratio: \"{}\", max_staleness: {}", to_text(*choice.ratio),
                          choice.max_staleness);
  }
  return "scheme: {name: " + choice.scheme + options + "}";
}

nlohmann::ordered_json json_of(const SchemeChoice& choice) {
  nlohmann::ordered_json json = {{"scheme", choice.scheme}};
  if (choice.ratio) {
    json["ratio"] = to_text(*choice.ratio);
    json["max_staleness"] = choice.max_staleness;
  }
  return json;
}

}  // namespace

std::string to_text(const SchemeAdvice& advice, int gpus) {
  return fmt::format("Advice for {} GPUs, by speed alone (quality is not simulated): {}\n  {}\n",
                     gpus, reason_of(advice), configuration_of(advice.advised().choice));
}

std::string to_table(const SchemeComparison& comparison) {
  std::string table =
      fmt::format("{} GPUs, batch {}, {} steps of each scheme\n", comparison.gpus,
                  static_cast<long long>(comparison.batch), comparison.steps) +
      fmt::format("{:<34} {:>9} {:>9} {:>6}\n", "scheme", "ms/step", "images/s", "busy");
  for (const SchemeRun& run : comparison.runs) {
    table += fmt::format("{:<34} {:9.2f} {:9.0f} {:5.1f}%\n", to_text(run.choice),
                         1e3 * run.step_seconds, run.images_per_second, 100 * run.taken.busy_share);
  }
  const auto advice = advise_scheme(comparison.runs);
  return advice ? table + to_text(*advice, comparison.gpus) : table;
}

nlohmann::ordered_json to_json(const SchemeComparison& comparison) {
  nlohmann::ordered_json json = {
      {"gpus", comparison.gpus}, {"batch", comparison.batch}, {"steps", comparison.steps}};
  for (const SchemeRun& run : comparison.runs) {
    nlohmann::ordered_json row = json_of(run.choice);
    row["step_seconds"] = run.step_seconds;
    row["images_per_second"] = run.images_per_second;
    row["busy_share"] = run.taken.busy_share;
    json["schemes"].push_back(row);
  }
  if (const auto advice = advise_scheme(comparison.runs)) {
    json["advice"] = json_of(advice->advised().choice);
    if (advice->asynchronous) json["advice"]["asynchronous_gain"] = advice->asynchronous_gain();
  }
  return json;
}

}  // namespace ganscale::planning
