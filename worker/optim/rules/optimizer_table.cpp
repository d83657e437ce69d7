#include "optim/rules/optimizer_table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "optim/rules/adabelief.h"
#include "optim/rules/adam.h"
#include "optim/rules/lamb.h"
#include "optim/rules/lars.h"
#include "optim/rules/lookahead.h"
#include "optim/rules/radam.h"
#include "optim/rules/rmsprop.h"
#include "optim/rules/sgd.h"

namespace ganscale::optim {

std::span<const OptimizerKind> optimizer_kinds() {
  static constexpr std::array kKinds = {
      OptimizerKind{"adam", parse_adam},
      OptimizerKind{"adamw", parse_adamw},
      OptimizerKind{"radam", parse_radam},
      OptimizerKind{"adabelief", parse_adabelief},
      OptimizerKind{"sgd", parse_sgd},
      OptimizerKind{"rmsprop", parse_rmsprop},
      OptimizerKind{"lamb", parse_lamb},
      OptimizerKind{"lars", parse_lars},
      OptimizerKind{"lookahead", parse_lookahead, /*holds_another=*/true},
  };
  return kKinds;
}

const OptimizerKind& read_kind(config::Section& in, std::span<const OptimizerKind> kinds) {
  std::vector<std::string> names;
  for (const OptimizerKind& kind : kinds) names.emplace_back(kind.name);
  const auto name = in.get_choice("name", "adam", names, "optimizer");
  return *std::ranges::find(kinds, name, &OptimizerKind::name);
}

OptimizerBuilder parse_inner(config::Section& in, const OptimizerDefaults& defaults) {
  std::vector<OptimizerKind> kinds;
  std::ranges::copy_if(optimizer_kinds(), std::back_inserter(kinds),
                       std::not_fn(&OptimizerKind::holds_another));
  config::Section inner = in.section("inner");
  OptimizerBuilder builder = read_kind(inner, kinds).parse(inner, defaults);
  inner.reject_unread_keys();
  return builder;
}

}  // namespace ganscale::optim
