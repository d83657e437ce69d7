#include "data/storage/s3_storage.h"

namespace ganscale::data {

const Storage& s3_storage() {
  throw DataError(
      "this build cannot read s3:// (it was built without the Python package pyarrow, which holds "
      "Arrow's C++ libraries)");
}

}  // namespace ganscale::data
