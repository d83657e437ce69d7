#include "data/parquet/arrow_file.h"

#include <arrow/buffer.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/file_bytes.h"

namespace ganscale::data {
namespace {

/// Carries an exception of FileBytes through Arrow.
class ReadFailure : public arrow::StatusDetail {
 public:
  static constexpr char kType[] = "ganscale::data::ReadFailure";

  explicit ReadFailure(std::exception_ptr error) : error_(std::move(error)) {}
  const char* type_id() const override { return kType; }
  std::string ToString() const override { return "a read failed"; }
  [[noreturn]] void rethrow() const { std::rethrow_exception(error_); }

 private:
  std::exception_ptr error_;
};

class ArrowFile : public arrow::io::RandomAccessFile {
 public:
  explicit ArrowFile(const std::filesystem::path& file) : bytes_(file) {}

  arrow::Result<std::int64_t> GetSize() override { return bytes_.size_bytes(); }

  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t nbytes,
                                     void* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto buffer, ReadAt(position, nbytes));
    std::copy_n(buffer->data(), buffer->size(), static_cast<std::uint8_t*>(out));
    return buffer->size();
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position,
                                                       std::int64_t nbytes) override {
    if (position < 0 || nbytes < 0) return arrow::Status::Invalid("negative offset or size");
    try {
      std::vector<std::uint8_t> buffer;
      const auto read = bytes_.read_some(std::min(position, bytes_.size_bytes()), nbytes, buffer);
      if (bytes_.unpacked()) buffer.assign(read.begin(), read.end());
      buffer.resize(read.size());
      return arrow::Buffer::FromVector(std::move(buffer));
    } catch (const DataError& error) {
      return arrow::Status::IOError(error.what())
          .WithDetail(std::make_shared<ReadFailure>(std::current_exception()));
    }
  }

  arrow::Result<std::int64_t> Read(std::int64_t nbytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto count, ReadAt(position_, nbytes, out));
    position_ += count;
    return count;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t nbytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, nbytes));
    position_ += buffer->size();
    return buffer;
  }

  arrow::Result<std::int64_t> Tell() const override { return position_; }

  arrow::Status Seek(std::int64_t position) override {
    position_ = position;
    return arrow::Status::OK();
  }

  /// The reader of a row group closes its file, which the next one reads, too.
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }

 private:
  FileBytes bytes_;
  std::int64_t position_ = 0;
};

}  // namespace

std::shared_ptr<arrow::io::RandomAccessFile> open_for_arrow(const std::filesystem::path& file) {
  return std::make_shared<ArrowFile>(file);
}

void throw_arrow_error(const arrow::Status& status, const std::filesystem::path& file) {
  const auto& detail = status.detail();
  if (detail != nullptr && detail->type_id() == std::string_view(ReadFailure::kType))
    static_cast<const ReadFailure&>(*detail).rethrow();
  throw DataError("Parquet file cannot be read (" + status.ToString() + "): " + file.string());
}

void throw_arrow_error(const std::exception& error, const std::filesystem::path& file) {
  throw DataError(std::string("Parquet file cannot be read (") + error.what() +
                  "): " + file.string());
}

}  // namespace ganscale::data
