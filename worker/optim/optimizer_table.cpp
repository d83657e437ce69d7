#include "optim/optimizer_table.h"

#include <algorithm>
#include <array>

#include "optim/adabelief.h"
#include "optim/adam.h"
#include "optim/radam.h"
#include "optim/rmsprop.h"
#include "optim/sgd.h"

namespace ganscale::optim {

std::span<const OptimizerKind> optimizer_kinds() {
  static constexpr std::array kKinds = {
      OptimizerKind{"adam", parse_adam},   OptimizerKind{"adamw", parse_adamw},
      OptimizerKind{"radam", parse_radam}, OptimizerKind{"adabelief", parse_adabelief},
      OptimizerKind{"sgd", parse_sgd},     OptimizerKind{"rmsprop", parse_rmsprop},
  };
  return kKinds;
}

const OptimizerKind& read_kind(config::Section& in, std::span<const OptimizerKind> kinds) {
  std::vector<std::string> names;
  for (const OptimizerKind& kind : kinds) names.emplace_back(kind.name);
  const auto name = in.get_choice("name", "adam", names, "optimizer");
  return *std::ranges::find(kinds, name, &OptimizerKind::name);
}

}  // namespace ganscale::optim
