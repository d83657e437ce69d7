#include "training/phases/statistics.h"

#include <ATen/ops/zeros.h>

namespace ganscale::training {

void Statistics::add(const NamedTensors& scalars) {
  for (const auto& [name, scalar] : scalars) {
    const auto value = scalar.detach().to(at::kDouble);
    const auto [place, is_new] = sums_.try_emplace(name, value);
    if (!is_new) place->second += value;
    ++counts_[name];
  }
}

std::map<std::string, double> Statistics::take(comm::Group& group) {
  auto means = at::zeros({static_cast<std::int64_t>(sums_.size())}, at::kDouble);
  auto* mean = means.mutable_data_ptr<double>();
  for (const auto& [name, sum] : sums_)
    *mean++ = sum.item<double>() / static_cast<double>(counts_[name]);
  group.all_reduce_sum(means);
  std::map<std::string, double> result;
  const double* total = means.const_data_ptr<double>();
  for (const auto& [name, sum] : sums_) result[name] = *total++ / group.size();
  sums_.clear();
  counts_.clear();
  return result;
}

}  // namespace ganscale::training
