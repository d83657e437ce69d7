#include "data/formats/record_index.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "base/error.h"
#include "data/formats/tfrecord_framing.h"
#include "files/atomic_file.h"
#include "files/cache_folder.h"
#include "files/hex.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

/// The index file: this header, `record_count` + 1 offsets, and the checksum of all of these. It is
/// in native byte order, which `magic` identifies.
struct Header {
  std::uint64_t magic = 0x3130584449534e47;  // "GNSIDX01" in little endian
  std::int64_t file_bytes = 0;
  std::int64_t changed_ns = 0;
  std::int64_t record_count = 0;
};

std::span<const std::uint8_t> as_bytes(const void* first, std::size_t count) {
  return {static_cast<const std::uint8_t*>(first), count};
}

std::uint32_t checksum(const Header& header, const RecordOffsets& offsets) {
  const std::array<std::uint32_t, 2> both = {
      masked_crc32c(as_bytes(&header, sizeof(header))),
      masked_crc32c(as_bytes(offsets.data(), offsets.size() * sizeof(offsets[0])))};
  return masked_crc32c(as_bytes(both.data(), sizeof(both)));
}

/// FNV-1a, for the name in the cache folder of each data file.
std::string hash_name(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return files::hex(hash);
}

/// Respects missing write permission even as root, which could write.
bool is_writable(const fs::path& folder) {
  std::error_code error;
  const auto permissions = fs::status(folder, error).permissions();
  const auto any_write = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  return !error && (permissions & any_write) != fs::perms::none &&
         ::access(folder.c_str(), W_OK) == 0;
}

/// Reads values one after the other from bytes. Returns false at their end.
class Values {
 public:
  explicit Values(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::size_t left_bytes() const { return bytes_.size(); }
  bool take(void* value, std::size_t count_bytes) {
    if (bytes_.size() < count_bytes) return false;
    std::memcpy(value, bytes_.data(), count_bytes);
    bytes_ = bytes_.subspan(count_bytes);
    return true;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

std::vector<std::uint8_t> content_if_there(const fs::path& file) {
  try {
    return storage_of(file).is_file(file) ? read_file(file) : std::vector<std::uint8_t>{};
  } catch (const DataError&) {
    return {};
  }
}

/// Returns whether an index is of this file as it is now. An object's time is that of its upload, so
/// an index that was uploaded with it has another one.
bool is_current(const Header& header, const FileBytes& bytes, const fs::path& index) {
  const std::int64_t most_records =
      header.file_bytes / (kFrameHeaderBytes + kFrameFooterBytes);  // of no data
  const bool is_time_known = is_local(index);
  return header.magic == Header{}.magic && header.file_bytes == bytes.size_bytes() &&
         (!is_time_known || header.changed_ns == bytes.modified_ns()) && header.record_count >= 0 &&
         header.record_count <= most_records;
}

/// Returns whether the records are one after the other, each with its frame, and fill the file.
bool fill(const RecordOffsets& offsets, const FileBytes& bytes) {
  const auto is_too_close = [](std::int64_t begin, std::int64_t end) {
    return begin < 0 || end < begin || end - begin < kFrameHeaderBytes + kFrameFooterBytes;
  };
  return offsets.front() == 0 && offsets.back() == bytes.size_bytes() &&
         std::ranges::adjacent_find(offsets, is_too_close) == offsets.end();
}

std::optional<RecordOffsets> read_index(const FileBytes& bytes, const fs::path& index) {
  const std::vector<std::uint8_t> content = content_if_there(index);
  Values values(content);
  Header header;
  if (!values.take(&header, sizeof(header)) || !is_current(header, bytes, index))
    return std::nullopt;
  const std::size_t offset_count = static_cast<std::size_t>(header.record_count) + 1;
  if (values.left_bytes() / sizeof(std::int64_t) < offset_count) return std::nullopt;
  RecordOffsets offsets(offset_count);
  std::uint32_t sum = 0;
  const bool is_whole = values.take(offsets.data(), offsets.size() * sizeof(offsets[0])) &&
                        values.take(&sum, sizeof(sum));
  if (!is_whole || sum != checksum(header, offsets) || !fill(offsets, bytes)) return std::nullopt;
  return offsets;
}

/// Reads a file from its beginning on, in blocks.
class Blocks {
 public:
  explicit Blocks(const FileBytes& bytes) : bytes_(bytes) {}

  std::span<const std::uint8_t> read(std::int64_t offset, std::int64_t count) {
    if (offset < offset_ || offset + count > offset_ + std::ssize(block_)) {
      block_ = bytes_.read_some(offset, std::max(count, bytes_.block_bytes()), buffer_);
      if (std::ssize(block_) < count) block_ = bytes_.read(offset, count, buffer_);  // throws
      offset_ = offset;
    }
    return block_.subspan(offset - offset_, count);
  }

 private:
  const FileBytes& bytes_;
  std::vector<std::uint8_t> buffer_;
  std::span<const std::uint8_t> block_;
  std::int64_t offset_ = 0;
};

RecordOffsets walk(const FileBytes& bytes) {
  RecordOffsets offsets = {0};
  Blocks blocks(bytes);
  const std::int64_t end = bytes.size_bytes();
  while (offsets.back() < end) {
    const std::int64_t offset = offsets.back();
    const auto refuse = [&](const std::string& why) {
      throw DataError(why + ": " + bytes.file().string() + ", record " +
                      std::to_string(offsets.size() - 1) + ", offset " + std::to_string(offset));
    };
    if (offset + kFrameHeaderBytes > end) refuse("file is truncated");
    const auto header = blocks.read(offset, kFrameHeaderBytes);
    std::int64_t length = 0;
    try {
      length = read_frame_header(header);
    } catch (const DataError& error) {
      refuse(error.what());
    }
    const std::int64_t next = offset + kFrameHeaderBytes + length + kFrameFooterBytes;
    if (next > end) refuse("file is truncated");
    offsets.push_back(next);
  }
  return offsets;
}

fs::path index_next_to(fs::path file) { return file += ".index"; }

std::string index_content(const Header& header, const RecordOffsets& offsets) {
  const std::uint32_t sum = checksum(header, offsets);
  std::string content;
  const auto append = [&](const void* first, std::size_t count) {
    content.append(static_cast<const char*>(first), count);
  };
  append(&header, sizeof(header));
  append(offsets.data(), offsets.size() * sizeof(offsets[0]));
  append(&sum, sizeof(sum));
  return content;
}

/// Writes an index file. Returns whether it could.
bool write_index(const FileBytes& bytes, const RecordOffsets& offsets) {
  const Header header{.file_bytes = bytes.size_bytes(),
                      .changed_ns = bytes.modified_ns(),
                      .record_count = std::ssize(offsets) - 1};
  try {
    files::write_file_atomically(index_path(bytes.file()), index_content(header, offsets));
  } catch (const files::OutputError&) {
    return false;
  }
  return true;
}

}  // namespace

fs::path index_path(const fs::path& file) {
  const fs::path absolute = is_local(file) ? fs::absolute(file).lexically_normal() : file;
  if (is_local(file) && is_writable(absolute.parent_path())) return index_next_to(absolute);
  return files::cache_folder() / "index" / (hash_name(absolute.string()) + ".index");
}

bool write_index(const fs::path& file, const RecordOffsets& offsets) {
  try {
    return write_index(FileBytes(file), offsets);
  } catch (const DataError&) {  // the file cannot be opened
    return false;
  }
}

RecordOffsets record_offsets(const FileBytes& bytes) {
  if (bytes.unpacked()) return walk(bytes);
  // The one beside it may have come with the file, and be of another time.
  for (const fs::path& index : {index_next_to(bytes.file()), index_path(bytes.file())}) {
    if (auto offsets = read_index(bytes, index)) return std::move(*offsets);
  }
  RecordOffsets offsets = walk(bytes);
  write_index(bytes, offsets);
  return offsets;
}

}  // namespace ganscale::data
