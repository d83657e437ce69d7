#pragma once

#include <map>
#include <memory>
#include <vector>

#include "models/contract/networks.h"

namespace ganscale::models {

/// Unconditional generators, one per label, as one conditional generator: the result of scheme
/// per_label (Lupo Pasini et al., "Distributed DC-CGAN": p(x, y) = p(x | y) p(y)).
///
/// Parameters: label_<n>.<name of the generator's parameter>.
class LabelBundle : public Generator {
 public:
  /// generators: by label, all of the same architecture. Labels may be missing.
  LabelBundle(const std::map<std::int64_t, std::shared_ptr<Generator>>& generators,
              int label_count);

  /// Throws DataError for a label without a generator. Noise is drawn separately for the images of
  /// each label.
  at::Tensor forward(const at::Tensor& z, const at::Tensor& labels, RandomStream& random) override;

  const std::map<std::int64_t, std::shared_ptr<Generator>>& generators() const {
    return generators_;
  }

 private:
  std::map<std::int64_t, std::shared_ptr<Generator>> generators_;
};

/// Returns the labels that a conditional generator supports: all, or, of a bundle, those with a
/// generator.
std::vector<std::int64_t> labels_of(const Generator& generator);

}  // namespace ganscale::models
