#pragma once

#include <arrow/type_fwd.h>

#include <optional>
#include <string>
#include <vector>

namespace ganscale::data {

/// Where images and labels are in the columns of a Parquet file.
struct ParquetColumns {
  int image = 0;  ///< the column of the images
  std::optional<int>
      bytes;  ///< which field of its structs holds the bytes; none: they are its values
  std::optional<int> label;              ///< the column of the labels
  std::vector<std::string> label_names;  ///< of a ClassLabel, else empty
};

/// Finds them as open_parquet() says. Throws DataError without the file, with the columns and types.
ParquetColumns find_columns(const arrow::Schema& schema);

/// Returns names and types of the columns: "image: struct<bytes: binary, path: string>, label: int64".
std::string columns_text(const arrow::Schema& schema);

}  // namespace ganscale::data
