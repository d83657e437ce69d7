#include "training/schemes/asynchronous/batch_part.h"

namespace ganscale::training {

std::vector<std::int64_t> shared_rows(const BatchPart& own, const BatchPart& other,
                                      std::int64_t batch) {
  std::vector<std::int64_t> rows;
  for (std::int64_t image = own.rank, row = 0; image < batch; image += own.size, ++row) {
    if (image % other.size == other.rank) rows.push_back(row);
  }
  return rows;
}

}  // namespace ganscale::training
