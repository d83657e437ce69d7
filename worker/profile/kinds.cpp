#include "profile/kinds.h"

#include <algorithm>

#include "profile/scopes.h"

namespace ganscale::profile {
namespace {

struct Rule {
  std::string_view part;  // of the name
  Kind kind;
};

// The first that fits counts.
constexpr std::array kRules = {
    Rule{kAllReduceWait, Kind::kCollective},  Rule{kDataWait, Kind::kDataWait},
    Rule{kRoleWait, Kind::kRoleWait},         Rule{"nccl", Kind::kCollective},
    Rule{"adam", Kind::kOptimizer},           Rule{"batch_norm", Kind::kNormalization},
    Rule{"layer_norm", Kind::kNormalization}, Rule{"weight_energies", Kind::kNormalization},
    Rule{"upfirdn2d", Kind::kResampling},     Rule{"upsample", Kind::kResampling},
    Rule{"avg_pool", Kind::kResampling},      Rule{"max_pool", Kind::kResampling},
    Rule{"grid_sampler", Kind::kResampling},  Rule{"conv", Kind::kConvolution},
    Rule{"addmm", Kind::kMatrixProduct},      Rule{"bmm", Kind::kMatrixProduct},
    Rule{"aten::mm", Kind::kMatrixProduct},   Rule{"matmul", Kind::kMatrixProduct},
    Rule{"linear", Kind::kMatrixProduct},     Rule{"grouped_products", Kind::kMatrixProduct},
    Rule{"aten::copy_", Kind::kLayout},       Rule{"aten::clone", Kind::kLayout},
    Rule{"aten::_to_copy", Kind::kLayout},    Rule{"aten::contiguous", Kind::kLayout},
    Rule{"aten::cat", Kind::kLayout},         Rule{"aten::stack", Kind::kLayout},
};

// Operators that compute nothing.
constexpr std::array<std::string_view, 4> kOfTheCaller = {"aten::empty", "aten::resize_",
                                                          "aten::as_strided", "aten::view"};

}  // namespace

std::optional<Kind> kind_of(std::string_view name) {
  for (const Rule& rule : kRules) {
    if (name.find(rule.part) != std::string_view::npos) return rule.kind;
  }
  const bool is_of_caller = std::ranges::any_of(
      kOfTheCaller, [&](std::string_view word) { return name.starts_with(word); });
  const bool computes = name.starts_with("aten::") || name.starts_with("ganscale::");
  if (computes && !is_of_caller) return Kind::kElementwise;
  return std::nullopt;
}

}  // namespace ganscale::profile
