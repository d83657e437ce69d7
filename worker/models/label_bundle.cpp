#include "models/label_bundle.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include "base/error.h"

namespace ganscale::models {
namespace {

const Generator& first_of(const std::map<std::int64_t, std::shared_ptr<Generator>>& generators) {
  check(!generators.empty(), "a bundle has a generator");
  return *generators.begin()->second;
}

}  // namespace

LabelBundle::LabelBundle(const std::map<std::int64_t, std::shared_ptr<Generator>>& generators,
                         int label_count)
    : Generator(first_of(generators).image(), first_of(generators).z_dim(), label_count),
      generators_(generators) {
  for (const auto& [label, generator] : generators_) {
    register_module("label_" + std::to_string(label), generator);
  }
}

at::Tensor LabelBundle::forward(const at::Tensor& z, const at::Tensor& labels,
                                RandomStream& random) {
  const auto on_host = labels.cpu().contiguous();
  std::map<std::int64_t, std::vector<std::int64_t>> rows_of_label;
  for (std::int64_t i = 0; i < on_host.size(0); ++i) {
    rows_of_label[on_host.const_data_ptr<std::int64_t>()[i]].push_back(i);
  }
  const auto [height, width] = image().resolution;
  const auto result = at::empty({z.size(0), image().channels, height, width}, z.options());
  for (const auto& [label, row_numbers] : rows_of_label) {
    const auto found = generators_.find(label);
    if (found == generators_.end()) {
      throw DataError("the bundle has no generator for this label, whose training failed: " +
                      std::to_string(label));
    }
    const auto rows = at::tensor(row_numbers).to(z.device());
    result.index_copy_(0, rows, found->second->forward(z.index_select(0, rows), {}, random));
  }
  return result;
}

std::vector<std::int64_t> labels_of(const Generator& generator) {
  const auto* bundle = dynamic_cast<const LabelBundle*>(&generator);
  std::vector<std::int64_t> labels;
  for (std::int64_t label = 0; label < generator.label_count(); ++label) {
    if (bundle == nullptr || bundle->generators().contains(label)) labels.push_back(label);
  }
  return labels;
}

}  // namespace ganscale::models
