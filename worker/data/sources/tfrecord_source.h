#pragma once

#include <memory>

#include "data/formats/tfrecord_files.h"
#include "data/sources/source.h"

namespace ganscale::data {

/// Opens TFRecord files whose examples have the features `shape` and `data`.
///
/// Every record's checksums are verified when it is read. A file's index is made when it is opened
/// for the first time (record_index.h), and a truncated file refused then.
/// Throws: DataError with file, record and offset; labels of another count than the records.
std::unique_ptr<Source> open_tfrecord(const TfrecordFiles& files);

}  // namespace ganscale::data
