#include "planning/output/scheme_table.h"

#include <fmt/format.h>

#include "wire/role_plan.h"

namespace ganscale::planning {
namespace {

std::string gpus_of(int gpus) { return fmt::format("{} GPU{}", gpus, gpus == 1 ? "" : "s"); }

std::string name_of(const SchemeChoice& choice) {
  return fmt::format("{} {} with max_staleness {}", choice.scheme, wire::to_text(*choice.ratio),
                     choice.max_staleness);
}

std::string reason_of(const SchemeAdvice& advice, int gpus) {
  if (gpus == 1) return "use synchronous; both roles on one GPU are not simulated.";
  if (!advice.asynchronous) {
    return "use synchronous; no ratio fits: its sum must divide the GPUs of a node, and the ranks "
           "of each role the batch.";
  }
  const double percent = 100 * advice.asynchronous_gain();
  const std::string asynchronous = name_of(advice.asynchronous->choice);
  if (advice.advised().choice.ratio) {
    return fmt::format(
        "use {}, which is {:.1f}% faster than synchronous; check it with ganscale train --dry-run.",
        asynchronous, percent);
  }
  const std::string difference = percent < 0 ? fmt::format("{:.1f}% slower", -percent)
                                             : fmt::format("only {:.1f}% faster", percent);
  return "use synchronous; " + asynchronous + " would be " + difference + ".";
}

/// Returns whether the scheme needs training.cuda_graphs, which is set, to be false.
bool turns_graphs_off(const SchemeChoice& choice, const SchemeComparison& comparison) {
  return choice.ratio && comparison.cuda_graphs;
}

/// Returns the lines of the configuration.
std::string configuration_of(const SchemeChoice& choice, const SchemeComparison& comparison) {
  std::string options;
  if (choice.ratio) {
    options = fmt::format(", ratio: \"{}\", max_staleness: {}", wire::to_text(*choice.ratio),
                          choice.max_staleness);
  }
  const std::string line = "  scheme: {name: " + choice.scheme + options + "}\n";
  return turns_graphs_off(choice, comparison) ? line + "  training: {cuda_graphs: false}\n" : line;
}

std::string advice_in(const SchemeComparison& comparison) {
  const auto advice = advise_scheme(comparison.runs);
  if (!advice) return "";
  return fmt::format("Advice for {}, by speed alone (quality is not simulated): {}\n{}",
                     gpus_of(comparison.gpus), reason_of(*advice, comparison.gpus),
                     configuration_of(advice->advised().choice, comparison));
}

std::string line_of(const SchemeRun& run) {
  const std::string line =
      fmt::format("{:<34} {:9.2f} {:9.0f} {:5.1f}%", to_text(run.choice), 1e3 * run.step_seconds,
                  run.images_per_second, 100 * run.taken.busy_share);
  return run.choice.ratio ? line + fmt::format(" {:11.2f}", 1e3 * run.exchange_seconds) : line;
}

nlohmann::ordered_json json_of(const SchemeChoice& choice) {
  nlohmann::ordered_json json = {{"scheme", choice.scheme}};
  if (choice.ratio) {
    json["ratio"] = wire::to_text(*choice.ratio);
    json["max_staleness"] = choice.max_staleness;
  }
  return json;
}

}  // namespace

std::string to_table(const SchemeComparison& comparison) {
  std::string table =
      fmt::format("{}, batch {}, {} steps of each scheme\n", gpus_of(comparison.gpus),
                  static_cast<long long>(comparison.batch), comparison.steps) +
      fmt::format("{:<34} {:>9} {:>9} {:>6} {:>11}\n", "scheme", "ms/step", "images/s", "busy",
                  "exchange ms");
  for (const SchemeRun& run : comparison.runs) table += line_of(run) + "\n";
  return table + advice_in(comparison);
}

nlohmann::ordered_json to_json(const SchemeComparison& comparison) {
  nlohmann::ordered_json json = {
      {"gpus", comparison.gpus}, {"batch", comparison.batch}, {"steps", comparison.steps}};
  for (const SchemeRun& run : comparison.runs) {
    nlohmann::ordered_json row = json_of(run.choice);
    row["step_seconds"] = run.step_seconds;
    row["images_per_second"] = run.images_per_second;
    row["busy_share"] = run.taken.busy_share;
    if (run.choice.ratio) row["exchange_seconds"] = run.exchange_seconds;
    json["schemes"].push_back(row);
  }
  if (const auto advice = advise_scheme(comparison.runs)) {
    const SchemeChoice& choice = advice->advised().choice;
    json["advice"] = json_of(choice);
    if (turns_graphs_off(choice, comparison)) json["advice"]["cuda_graphs"] = false;
    if (advice->asynchronous) json["advice"]["asynchronous_gain"] = advice->asynchronous_gain();
  }
  return json;
}

}  // namespace ganscale::planning
