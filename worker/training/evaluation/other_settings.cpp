#include "training/evaluation/other_settings.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "config/differences.h"
#include "files/durable_file.h"

namespace ganscale::training {
namespace {

/// What changes no value: how a training reads data; when, how fast and what is measured.
constexpr std::array<std::string_view, 11> kWithoutEffect{
    "data.cache.",          "data.mirror:",         "data.prefetch.",   "data.read_attempts:",
    "data.reader_threads:", "data.shard:",          "data.shuffle:",    "evaluate.batch:",
    "evaluate.cache:",      "evaluate.every_kimg:", "evaluate.metrics:"};

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code missing;
  const auto is_here = [&](const auto& file) {
    return std::filesystem::is_regular_file(file, missing);
  };
  return is_here(a) && is_here(b) && files::digest_file(a) == files::digest_file(b);
}

/// NetConfig: metrics::FeatureNetConfig or metrics::PerceptualNetConfig.
template <class NetConfig>
bool is_other_network(const NetConfig& of_run, const NetConfig& now) {
  if (of_run.file.empty()) return false;
  if (!of_run.sha256.empty() && !now.sha256.empty()) return of_run.sha256 != now.sha256;
  return of_run.file != now.file && !is_same_file(of_run.file, now.file);
}

/// Whether a change of the section `evaluate`, "KEY: OLD -> NEW", changes values of what the run
/// measures.
bool changes_metrics(std::string_view change, const metrics::EvaluateConfig& of_run,
                     const metrics::EvaluateConfig& now) {
  const auto is_of = [change](std::string_view key) { return change.starts_with(key); };
  if (of_run.metrics.empty()) return false;
  if (is_of("evaluate.perceptual_net"))
    return is_other_network(of_run.perceptual_net, now.perceptual_net);
  if (is_of("evaluate.feature_net:") || is_of("evaluate.feature_net_sha256:"))
    return is_other_network(of_run.feature_net, now.feature_net);
  return !is_of("evaluate.feature_net_") || !of_run.feature_net.file.empty();
}

}  // namespace

std::vector<std::string> other_settings(const RunConfig& of_run, const RunConfig& now,
                                        bool is_same_data) {
  const auto matters = [&](const std::string& change) {
    const auto is_of = [&](std::string_view key) { return change.starts_with(key); };
    if (std::ranges::any_of(kWithoutEffect, is_of)) return false;
    if (is_of("evaluate.")) return changes_metrics(change, of_run.evaluate, now.evaluate);
    if (is_of("data.path:")) return !of_run.data.path.empty() && !is_same_data;
    if (is_of("data.")) return !of_run.data.path.empty();
    return is_of("training.seed:");
  };
  auto changed = config::differences(config::parse_yaml(of_run.resolved, "the run"),
                                     config::parse_yaml(now.resolved, "the evaluation"));
  std::erase_if(changed, [&](const std::string& change) { return !matters(change); });
  return changed;
}

}  // namespace ganscale::training
