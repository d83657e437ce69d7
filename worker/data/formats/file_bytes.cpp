#include "data/formats/file_bytes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.h"
#include "data/formats/gunzip.h"

namespace ganscale::data {

FileBytes::FileBytes(const std::filesystem::path& file, Gzip gzip)
    : file_(file),
      stored_(storage_of(file).open({.path = file})),
      size_bytes_(stored_->size_bytes()),
      modified_ns_(stored_->modified_ns()),
      block_bytes_(stored_->block_bytes()) {
  if (!is_gzip(*stored_)) return;
  if (gzip == Gzip::kRefuse) refuse_compressed(file_);
  unpacked_ = gunzip(*stored_, file_);
  size_bytes_ = std::ssize(unpacked_);
  stored_ = nullptr;
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : file_(std::move(other.file_)),
      stored_(std::move(other.stored_)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      modified_ns_(other.modified_ns_),
      block_bytes_(other.block_bytes_),
      is_written_(other.is_written_.load()),
      unpacked_(std::move(other.unpacked_)) {}

void FileBytes::warn_once_if_written() const {
  if (is_written_ || !stored_->is_written()) return;
  if (is_written_.exchange(true)) return;
  log::warning("A file of the dataset was written to after it was opened; records may differ",
               {{"file", file_}});
}

std::span<const std::uint8_t> FileBytes::read_some(std::int64_t offset, std::int64_t count,
                                                   std::vector<std::uint8_t>& buffer) const {
  const std::int64_t available = std::clamp<std::int64_t>(size_bytes_ - offset, 0, count);
  if (unpacked()) return {unpacked_.data() + offset, static_cast<std::size_t>(available)};
  buffer.resize(available);
  const std::int64_t filled = stored_->read(offset, buffer);
  warn_once_if_written();
  return {buffer.data(), static_cast<std::size_t>(filled)};
}

std::span<const std::uint8_t> FileBytes::read(std::int64_t offset, std::int64_t count,
                                              std::vector<std::uint8_t>& buffer) const {
  const auto bytes = read_some(offset, count, buffer);
  if (static_cast<std::int64_t>(bytes.size()) < count) {
    throw DataError("file is too short: " + file_.string() + ", offset " + std::to_string(offset) +
                    ", wanted " + std::to_string(count) + " bytes, got " +
                    std::to_string(bytes.size()));
  }
  return bytes;
}

void refuse_compressed(const std::filesystem::path& file) {
  throw DataError("compressed file has no random access; unpack it first: " + file.string());
}

std::vector<std::uint8_t> read_file(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  std::vector<std::uint8_t> content;
  const auto read = bytes.read(0, bytes.size_bytes(), content);
  if (bytes.unpacked()) content.assign(read.begin(), read.end());
  return content;
}

}  // namespace ganscale::data
