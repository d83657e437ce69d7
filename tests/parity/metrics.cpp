// Kind "metrics": features_real, features_fake, then what the references made of them: fid.*,
// kid.values of kid.subsets_*, is.splits<s>_* of is.logits, pr.k<k>_*.
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>

#include "base/error.h"
#include "comm/backends/thread_group.h"
#include "config/units.h"
#include "metrics/distances/frechet_distance.h"
#include "metrics/distances/inception_score.h"
#include "metrics/distances/kernel_distance.h"
#include "metrics/distances/precision_recall.h"
#include "parity/check_fixture.h"
#include "parity/stored.h"

namespace ganscale::parity {
namespace {

at::Tensor one(double value) { return at::tensor({value}, at::kDouble); }

/// Returns the numbers N of the tensors called <before>N<after>.
std::vector<int> numbers_in_names(const NamedTensors& tensors, const std::string& before,
                                  const std::string& after) {
  std::vector<int> numbers;
  for (const auto& [name, tensor] : tensors) {
    if (!name.starts_with(before) || !name.ends_with(after)) continue;
    const auto digits = name.substr(before.size(), name.size() - before.size() - after.size());
    if (const auto number = config::parse_integer(digits)) {
      numbers.push_back(static_cast<int>(*number));
    }
  }
  if (numbers.empty())
    throw DataError("the fixture lacks a tensor: " + before + "<number>" + after);
  return numbers;
}

struct Features {
  at::Tensor real;
  at::Tensor fake;
};

void check_frechet(const NamedTensors& tensors, const Features& features, Report& report) {
  const auto gaussian = [](const at::Tensor& all, metrics::Divisor divisor) {
    metrics::Moments moments(all.size(1));
    // In parts, as they come from a feature network.
    for (const auto& part : all.split(128)) moments.add(part);
    return moments.gaussian(divisor);
  };
  const auto distance = [&](metrics::Divisor divisor) {
    return one(metrics::frechet_distance(gaussian(features.real, divisor),
                                         gaussian(features.fake, divisor)));
  };
  report.compare("fid", distance(metrics::Divisor::kCountMinusOne),
                 stored(tensors, "fid.cov_n_minus_1"));
  report.compare("fid", distance(metrics::Divisor::kCount), stored(tensors, "fid.cov_n"));
}

void check_kernel(const NamedTensors& tensors, const Features& features, Report& report) {
  const auto& real_rows = stored(tensors, "kid.subsets_real");
  const auto& fake_rows = stored(tensors, "kid.subsets_fake");
  std::vector<double> values;
  for (std::int64_t i = 0; i < real_rows.size(0); ++i) {
    values.push_back(metrics::kernel_distance(features.real.index_select(0, real_rows[i]),
                                              features.fake.index_select(0, fake_rows[i])));
  }
  report.compare("kid", at::tensor(values, at::kDouble), stored(tensors, "kid.values"));
}

void check_inception_score(const NamedTensors& tensors, const Arithmetic& arithmetic,
                           Report& report) {
  const auto& logits = stored(tensors, "is.logits");
  for (const int splits : numbers_in_names(tensors, "is.splits", "_mean")) {
    metrics::InceptionScore sums(logits.size(1), logits.size(0), splits);
    sums.add(arithmetic(logits), at::arange(logits.size(0)));
    const auto score = sums.score();
    const std::string prefix = "is.splits" + std::to_string(splits);
    report.compare("is", one(score.mean), stored(tensors, prefix + "_mean"));
    report.compare("is", one(score.deviation), stored(tensors, prefix + "_std"));
  }
}

void check_precision_recall(const NamedTensors& tensors, const Features& features, Report& report) {
  const auto group = comm::make_single_group();
  for (const int neighbors : numbers_in_names(tensors, "pr.k", "_precision")) {
    const auto result =
        metrics::precision_recall({features.real, features.fake, neighbors}, *group);
    const std::string prefix = "pr.k" + std::to_string(neighbors);
    report.compare("pr", one(result.precision), stored(tensors, prefix + "_precision"));
    report.compare("pr", one(result.recall), stored(tensors, prefix + "_recall"));
  }
}

}  // namespace

void check_metrics(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                   Report& report) {
  const auto& tensors = fixture.tensors;
  const Features features{arithmetic(stored(tensors, "features_real")),
                          arithmetic(stored(tensors, "features_fake"))};
  check_frechet(tensors, features, report);
  check_kernel(tensors, features, report);
  check_inception_score(tensors, arithmetic, report);
  check_precision_recall(tensors, features, report);
}

}  // namespace ganscale::parity
