#include "metrics/evaluate_config.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ranges>
#include <regex>

#include "base/error.h"
#include "base/joined.h"
#include "config/units.h"
#include "files/cache_folder.h"

namespace ganscale::metrics {
namespace {

struct Kind {
  std::string_view name;
  Metric metric;
  int neighbors;  // the default; 0 if the metric has none
};

constexpr std::array kKinds = {
    Kind{"fid", Metric::kFrechet, 0},        Kind{"is", Metric::kInceptionScore, 0},
    Kind{"kid", Metric::kKernel, 0},         Kind{"pr", Metric::kPrecisionRecall, 3},
    Kind{"dc", Metric::kDensityCoverage, 5}, Kind{"ppl", Metric::kPathLength, 0},
    Kind{"eqt", Metric::kTranslation, 0},    Kind{"eqr", Metric::kRotation, 0},
};

/// What follows the kind in a metric's name.
constexpr auto kAfterKind =
    "(?:([0-9]{1,9})(?:(k)([0-9]{1,3})?)?)?"
    "(_full|_int|_frac|_[wz](?:end|full)(?:_crop)?)?(_by_label)?";

/// Returns a pattern that matches at least every metric's name.
std::string metric_pattern() {
  return "^(" + joined(std::views::transform(kKinds, &Kind::name), "|") + ")" + kAfterKind + "$";
}

[[noreturn]] void refuse(const std::string& text) {
  throw ConfigError(
      "unknown metric; known are fid50k, is50k, kid50k, pr50k3, dc50k5, ppl50k_wend (wfull, "
      "zend, zfull, and _crop), eqt50k_int, eqt50k_frac and eqr50k, with any number of images from "
      "2 on, fid50k, pr50k3 and dc50k5 also with _by_label, and fid50k, kid50k, pr50k3 and dc50k5 "
      "with _full for all real images: " +
      text);
}

void read_feature_net(config::Section& in, FeatureNetConfig& c) {
  c.file =
      in.get("feature_net", "", "file of the feature network: TorchScript or converted Inception");
  c.sha256 = in.get("feature_net_sha256", c.sha256, "expected SHA-256 of that file; empty: any");
  c.resolution =
      in.get("feature_net_resolution", c.resolution,
             "resolution to resize images to for a plain TorchScript module; 0: do not resize");
  in.require(c.resolution, config::at_least(0), "feature_net_resolution", "must not be negative");
  c.signed_range =
      in.get_choice("feature_net_range", "bytes", {"bytes", "signed"},
                    "pixel range for a plain TorchScript module: 0 to 255, or -1 to 1") == "signed";
}

void read_perceptual_net(config::Section& in, PerceptualNetConfig& c) {
  c.file = in.get("perceptual_net", "",
                  "file of the network for path lengths (ppl): NVIDIA's vgg16.pt, or TorchScript "
                  "that embeds images");
  c.sha256 = in.get("perceptual_net_sha256", c.sha256, "expected SHA-256 of that file; empty: any");
}

bool is_within_labels(Metric metric) {
  return metric == Metric::kFrechet || metric == Metric::kPrecisionRecall ||
         metric == Metric::kDensityCoverage;
}

bool compares_with_reals(Metric metric) {
  return is_within_labels(metric) || metric == Metric::kKernel;
}

/// Splits a name into parts, which refer to it.
std::smatch split_name(const std::string& text) {
  static const std::regex kPattern(std::string("([a-z_]+?)") + kAfterKind);
  constexpr std::size_t kLongestBytes = 100;  // std::regex recurses with the text
  std::smatch parts;
  if (text.size() > kLongestBytes || !std::regex_match(text, parts, kPattern)) refuse(text);
  return parts;
}

/// Refuses NVIDIA's names of path lengths: a number here is that of paths, and "_crop" is not the
/// default.
void refuse_names_of_nvidia(const std::string& text) {
  static const std::regex kPattern("ppl(2?)(_[wz](?:end|full))");
  std::smatch parts;
  if (!std::regex_match(text, parts, kPattern)) return;
  const std::string crop = parts[1].length() == 0 ? "_crop" : "";
  throw ConfigError("NVIDIA's " + text + " is ppl50k" + parts[2].str() + crop + " here");
}

/// Reads "_full"; the paths of path lengths: "_wend", "_zfull_crop"; or the translations: "_int",
/// "_frac".
void read_suffix(const std::string& suffix, MetricName& result) {
  if (suffix.empty()) return;
  const bool is_path = suffix.starts_with("_w") || suffix.starts_with("_z");
  const bool is_translation = suffix == "_int" || suffix == "_frac";
  const bool fits = is_path          ? result.metric == Metric::kPathLength
                    : is_translation ? result.metric == Metric::kTranslation
                                     : compares_with_reals(result.metric);
  if (!fits) refuse(result.text);
  result.has_all_reals = !is_path && !is_translation;
  result.translates_by_fractions = suffix == "_frac";
  if (is_path) {
    result.path = {.is_between_latents = suffix[1] == 'z',
                   .is_anywhere = suffix.substr(2).starts_with("full"),
                   .crops = suffix.ends_with("_crop")};
  }
}

}  // namespace

std::int64_t MetricName::real_count(std::int64_t record_count) const {
  constexpr std::int64_t kMostReals = 50'000;
  return has_all_reals ? record_count : std::min(record_count, kMostReals);
}

MetricName parse_metric(const std::string& text) {
  const std::smatch parts = split_name(text);
  refuse_names_of_nvidia(text);
  const auto kind = std::ranges::find(kKinds, parts[1].str(), &Kind::name);
  if (kind == kKinds.end()) refuse(text);
  MetricName result{.text = text,
                    .metric = kind->metric,
                    .neighbors = kind->neighbors,
                    .is_by_label = parts[6].matched};
  if (result.is_by_label && !is_within_labels(result.metric)) refuse(text);
  if (parts[2].matched) {
    const std::int64_t unit = parts[3].matched ? 1000 : 1;
    result.image_count = *config::parse_integer(parts[2].str()) * unit;
  }
  if (parts[4].matched) {
    result.neighbors = static_cast<int>(*config::parse_integer(parts[4].str()));
  }
  read_suffix(parts[5].str(), result);
  const bool has_neighbors = kind->neighbors > 0;
  if (result.image_count < 2 || has_neighbors != (result.neighbors > 0)) refuse(text);
  return result;
}

namespace {

/// Parses a name. Throws ConfigError with file, line and key.
MetricName read_metric(const std::string& text, const config::Section& in) {
  try {
    return parse_metric(text);
  } catch (const ConfigError& error) {
    in.fail("metrics", error.what());
  }
}

}  // namespace

EvaluateConfig parse_evaluate(config::Section in) {
  EvaluateConfig c;
  const auto names = in.get(
      "metrics", std::vector<std::string>{},
      "metrics: fid50k, is50k, kid50k, pr50k3, dc50k5, ppl50k_wend, eqt50k_int, eqt50k_frac, "
      "eqr50k; against at most 50,000 real images, or with _full (fid50k_full) against all; "
      "fid, pr and dc also within each label (fid50k_by_label)");
  in.describe_texts("metrics", metric_pattern(), "a metric such as fid50k");
  c.metrics_location = in.location("metrics");
  for (const auto& name : names) c.metrics.push_back(read_metric(name, in));
  c.every_kimg = in.get("every_kimg", c.every_kimg,
                        "thousands of images between two evaluations; 0: only at the end");
  in.require(c.every_kimg, config::at_least(0), "every_kimg", "must not be negative");
  read_feature_net(in, c.feature_net);
  read_perceptual_net(in, c.perceptual_net);
  c.divisor =
      in.get_choice("covariance", "n_minus_1", {"n_minus_1", "n"},
                    "divisor of covariances: n_minus_1 as in pytorch-fid, n as in NVIDIA's code") ==
              "n"
          ? Divisor::kCount
          : Divisor::kCountMinusOne;
  c.labels =
      in.get_choice("labels", "data", {"data", "balanced"},
                    "how often labels are generated: as in the data, or all equally") == "balanced"
          ? LabelShares::kBalanced
          : LabelShares::kData;
  c.splits = in.get("splits", c.splits, "number of splits of the inception score");
  in.require(c.splits, config::at_least(1), "splits", "must be positive");
  c.batch = in.get("batch", c.batch, "images per batch on a rank");
  in.require(c.batch, config::at_least(1), "batch", "must be positive");
  const auto cache = in.get(
      "cache", "", "cache folder for statistics of the real images; empty: the user's cache");
  c.cache = cache.empty() ? (files::cache_folder() / "metrics") : std::filesystem::path(cache);
  in.reject_unread_keys();
  return c;
}

}  // namespace ganscale::metrics
