#include "optim/batch_rule.h"

#include <cmath>

#include "base/enum_names.h"
#include "base/error.h"

namespace ganscale::optim {
namespace {

constexpr EnumNames<BatchRuleKind, 3> kBatchRuleKinds{{{BatchRuleKind::kNone, "none"},
                                                       {BatchRuleKind::kLinear, "linear"},
                                                       {BatchRuleKind::kSqrt, "sqrt"}}};

}  // namespace

BatchRule parse_batch_rule(config::Section in) {
  BatchRule rule;
  rule.kind = in.get_choice("name", rule.kind, kBatchRuleKinds,
                            "how the learning rate scales with the global batch: not at all, "
                            "linearly, or by the square root");
  if (rule.kind != BatchRuleKind::kNone) {
    rule.base_batch =
        in.get("base_batch", rule.base_batch, "global batch that learning_rate is meant for");
    in.require(rule.base_batch, config::above(0), "base_batch", "must be positive");
  }
  in.reject_unread_keys();
  return rule;
}

double batch_factor(const BatchRule& rule, std::int64_t batch) {
  if (rule.kind == BatchRuleKind::kNone) return 1;
  check(batch > 0, "a batch rule needs the batch of the run");
  const double ratio = static_cast<double>(batch) / static_cast<double>(rule.base_batch);
  return rule.kind == BatchRuleKind::kLinear ? ratio : std::sqrt(ratio);
}

}  // namespace ganscale::optim
