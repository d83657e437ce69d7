#pragma once

#include <cstdint>

#include "config/section.h"

namespace ganscale::optim {

enum class BatchRuleKind { kNone, kLinear, kSqrt };

/// How the learning rate follows the global batch, with r = batch / base_batch.
struct BatchRule {
  BatchRuleKind kind = BatchRuleKind::kNone;
  std::int64_t base_batch = 64;  ///< linear, sqrt: the batch that the configured rate is for
};

/// Reads `batch_rule`. Throws ConfigError.
BatchRule parse_batch_rule(config::Section in);

/// Returns the factor of the learning rate for a global batch:
///   linear: r       (Goyal et al. 2017, arXiv:1706.02677, Section 2.1)
///   sqrt:   sqrt(r) (Krizhevsky 2014, arXiv:1404.5997, Section 5)
///   none:   1
double batch_factor(const BatchRule& rule, std::int64_t batch);

}  // namespace ganscale::optim
