#include "training/evaluation/drawn_labels.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "models/label_bundle.h"

namespace ganscale::training {

std::vector<std::int64_t> labels_to_draw(const models::Generator& generator,
                                         const data::Source& source) {
  if (generator.label_count() == 0) return {};
  const auto made = models::labels_of(generator);
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < source.record_count(); ++i) {
    const auto label = source.label(i);
    if (std::ranges::binary_search(made, label)) labels.push_back(label);
  }
  if (labels.empty()) {
    throw DataError("the dataset has no record of a label that the generator makes: " +
                    std::to_string(source.record_count()) + " records");
  }
  return labels;
}

at::Tensor draw_labels(const std::vector<std::int64_t>& from, std::int64_t count,
                       kernels::RandomStream& random) {
  if (from.empty()) return {};
  return at::tensor(from).index_select(
      0, random.labels(static_cast<std::int64_t>(from.size()), count));
}

}  // namespace ganscale::training
