#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/section.h"
#include "metrics/distances/moments.h"
#include "metrics/distances/path_length.h"
#include "metrics/networks/feature_net.h"
#include "metrics/networks/perceptual_net.h"

namespace ganscale::metrics {

enum class Metric {
  kFrechet,          ///< fid50k
  kInceptionScore,   ///< is50k
  kKernel,           ///< kid50k
  kPrecisionRecall,  ///< pr50k3
  kDensityCoverage,  ///< dc50k5
  kPathLength,       ///< ppl50k_wend
  kTranslation,      ///< eqt50k_int: how well images follow a translation
  kRotation,         ///< eqr50k: how well images follow a rotation
};

/// The end of the name of a metric within labels.
inline constexpr std::string_view kByLabel = "_by_label";

/// The name of a metric: its kind, the number of generated images ("50k", "500"), for pr and dc the
/// number of neighbors, "_full" for a comparison with all real images, and for fid, pr and dc
/// "_by_label" for one within each label; for ppl the paths: "_w" between styles or "_z" between
/// latents, "end" or "full" for their start or any place, "_crop"; for eqt "_int" for translations by
/// whole pixels or "_frac" for any.
struct MetricName {
  std::string text;
  Metric metric = Metric::kFrechet;
  std::int64_t image_count = 50'000;  ///< for path lengths, of paths
  int neighbors = 3;
  bool has_all_reals = false;
  bool is_by_label = false;
  PathRule path = {};
  bool translates_by_fractions = false;

  /// Returns how many of the real images it is measured against: all, or at most 50,000 as in the
  /// public implementations of StyleGAN.
  std::int64_t real_count(std::int64_t record_count) const;
};

/// Parses names like fid50k, fid50k_full, fid50k_by_label, is50k, kid50k, pr50k3, dc50k5,
/// ppl50k_wend, eqt50k_frac, eqr50k.
/// The default count is 50k, the default paths "_wend", the default translations "_int".
/// Throws ConfigError for any other name, and for ppl2_wend, ppl_zfull and the like, which NVIDIA
/// uses in another sense.
MetricName parse_metric(const std::string& text);

/// How often each label is generated.
enum class LabelShares {
  kData,      ///< as in the data
  kBalanced,  ///< all equally often
};

/// The section `evaluate` of the configuration.
struct EvaluateConfig {
  std::vector<MetricName> metrics;
  config::Location metrics_location = {};  ///< what they need is known later
  double every_kimg = 0;
  FeatureNetConfig feature_net;
  PerceptualNetConfig perceptual_net;
  Divisor divisor = Divisor::kCountMinusOne;
  LabelShares labels = LabelShares::kData;
  int splits = 10;          ///< of the inception score
  std::int64_t batch = 64;  ///< images at a time per rank
  std::filesystem::path cache;
};

/// Throws ConfigError.
EvaluateConfig parse_evaluate(config::Section in);

}  // namespace ganscale::metrics
