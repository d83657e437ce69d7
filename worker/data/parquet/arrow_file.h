#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <parquet/exception.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.h"

namespace ganscale::data {

/// Opens a file for Arrow, which reads it by FileBytes. Throws DataError, StorageError.
std::shared_ptr<arrow::io::RandomAccessFile> open_for_arrow(const std::filesystem::path& file);

/// Throws an error of Arrow: what FileBytes threw if that was the cause, else a DataError with the file.
[[noreturn]] void throw_arrow_error(const arrow::Status& status, const std::filesystem::path& file);

/// Throws for an exception of Arrow, or of the standard library in it, that has no status.
[[noreturn]] void throw_arrow_error(const std::exception& error, const std::filesystem::path& file);

inline void require_ok(const arrow::Status& status, const std::filesystem::path& file) {
  if (!status.ok()) throw_arrow_error(status, file);
}

template <class Value>
Value value_of(arrow::Result<Value> result, const std::filesystem::path& file) {
  require_ok(result.status(), file);
  return std::move(result).ValueUnsafe();
}

/// Returns what `use` returns; no exception of Arrow leaves it.
template <class Use>
auto using_arrow(const std::filesystem::path& file, const Use& use) {
  try {
    return use();
  } catch (const DataError&) {
    throw;
  } catch (const parquet::ParquetStatusException& error) {
    throw_arrow_error(error.status(), file);
  } catch (const std::exception& error) {
    throw_arrow_error(error, file);
  }
}

}  // namespace ganscale::data
