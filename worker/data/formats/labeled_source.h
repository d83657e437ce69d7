#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/formats/label_file.h"
#include "data/image/source.h"

namespace ganscale::data {

/// A source that has the labels of all its records in memory.
class LabeledSource : public Source {
 public:
  std::int64_t label_count() const override { return labels_.count; }
  std::vector<std::string> label_names() const override { return labels_.names; }
  std::int64_t label(std::int64_t index) const override {
    return labels_.values.empty() ? -1 : labels_.values[index];
  }

 protected:
  LabelSet labels_;
};

}  // namespace ganscale::data
