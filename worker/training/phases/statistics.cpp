#include "training/phases/statistics.h"

#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/error.h"
#include "comm/collectives/gather_text.h"

namespace ganscale::training {
namespace {

std::map<std::string, NamedTensors> by_device(const NamedTensors& scalars) {
  std::map<std::string, NamedTensors> parts;
  for (const auto& [name, scalar] : scalars) parts[scalar.device().str()].emplace(name, scalar);
  return parts;
}

}  // namespace

std::vector<std::string> agree_on_names(comm::Group& group, const std::vector<std::string>& own) {
  std::string lines;
  for (const std::string& name : own) lines += name + "\n";
  std::set<std::string> names;
  for (const std::string& of_rank : comm::gather_text(group, lines)) {
    std::istringstream text(of_rank);
    for (std::string name; std::getline(text, name);) names.insert(name);
  }
  return {names.begin(), names.end()};
}

void Statistics::add(const NamedTensors& scalars) {
  for (const auto& [device, part] : by_device(scalars)) {
    std::vector<std::string> names;
    std::vector<at::Tensor> values;
    for (const auto& [name, scalar] : part) {
      check(std::ranges::binary_search(names_, name), "no such statistic was agreed upon: " + name);
      names.push_back(name);
      values.push_back(scalar.detach());
    }
    const at::Tensor packed = at::stack(values).to(at::kDouble);
    Sum& sum = sums_[names];
    sum.totals = sum.totals.defined() ? sum.totals.add_(packed) : packed;
    ++sum.count;
  }
}

std::map<std::string, double> Statistics::take(comm::Group& group) {
  const auto count = static_cast<std::int64_t>(names_.size());
  const at::Tensor totals = at::zeros({2, count}, at::kDouble);
  auto* total = totals.mutable_data_ptr<double>();
  for (const auto& [names, sum] : sums_) {
    const at::Tensor on_host = sum.totals.cpu();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto place = std::ranges::lower_bound(names_, names[i]) - names_.begin();
      total[place] += on_host.const_data_ptr<double>()[i];
      total[count + place] += static_cast<double>(sum.count);
    }
  }
  group.all_reduce_sum(totals);
  std::map<std::string, double> means;
  for (std::int64_t i = 0; i < count; ++i) {
    if (total[count + i] > 0)
      means[names_[static_cast<std::size_t>(i)]] = total[i] / total[count + i];
  }
  sums_.clear();
  return means;
}

}  // namespace ganscale::training
