#pragma once

#include <map>
#include <memory>
#include <vector>

#include "models/model.h"

namespace ganscale::models {

/// Unconditional generators, one a label, as one conditional generator: the product of the scheme
/// per_label (Lupo Pasini et al., "Distributed DC-CGAN": p(x, y) = p(x | y) p(y)).
///
/// Parameters: label_<n>.<name of the generator's parameter>.
class LabelBundle : public Generator {
 public:
  /// generators: by label, all of one architecture; labels in [0, label_count) may lack one.
  LabelBundle(const std::map<std::int64_t, std::shared_ptr<Generator>>& generators,
              int label_count);

  /// Throws DataError for a label without a generator. The noise of a pass is drawn for each
  /// label's images apart.
  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels,
                     kernels::RandomStream& random) override;

  const std::map<std::int64_t, std::shared_ptr<Generator>>& generators() const {
    return generators_;
  }

 private:
  std::map<std::int64_t, std::shared_ptr<Generator>> generators_;
};

/// Returns the labels that a conditional generator makes images of: all, or those of a bundle
/// that have a generator.
std::vector<std::int64_t> labels_of(const Generator& generator);

}  // namespace ganscale::models
