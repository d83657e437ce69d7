#include "report/media/grid_labels.h"

namespace ganscale::report {

std::vector<std::int64_t> grid_labels(std::int64_t image_count, std::int64_t columns,
                                      std::int64_t label_count) {
  const bool has_rows = label_count <= image_count / columns;
  std::vector<std::int64_t> labels;
  for (std::int64_t place = 0; place < image_count; ++place) {
    labels.push_back((has_rows ? place / columns : place) % label_count);
  }
  return labels;
}

}  // namespace ganscale::report
