#include "data/formats/record_index.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
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

std::optional<Header> header_for(const fs::path& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  Header header;
  header.file_bytes = status.st_size;
  header.changed_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return header;
}

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

/// Respects missing write permission even for root, who could write.
bool is_writable(const fs::path& folder) {
  std::error_code error;
  const auto permissions = fs::status(folder, error).permissions();
  const auto any_write = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  return !error && (permissions & any_write) != fs::perms::none &&
         ::access(folder.c_str(), W_OK) == 0;
}

std::optional<RecordOffsets> read_index(const fs::path& file) {
  const auto wanted = header_for(file);
  std::ifstream in(index_path(file), std::ios::binary);
  Header header;
  if (!wanted || !in.read(reinterpret_cast<char*>(&header), sizeof(header))) return std::nullopt;
  const std::int64_t most_records =
      header.file_bytes / (kFrameHeaderBytes + kFrameFooterBytes);  // of no data
  const bool current = header.magic == wanted->magic && header.file_bytes == wanted->file_bytes &&
                       header.changed_ns == wanted->changed_ns && header.record_count >= 0 &&
                       header.record_count <= most_records;
  if (!current) return std::nullopt;
  RecordOffsets offsets(header.record_count + 1);
  std::uint32_t sum = 0;
  in.read(reinterpret_cast<char*>(offsets.data()),
          static_cast<std::streamsize>(offsets.size() * sizeof(offsets[0])));
  in.read(reinterpret_cast<char*>(&sum), sizeof(sum));
  if (!in || sum != checksum(header, offsets)) return std::nullopt;
  return offsets;
}

RecordOffsets walk(const FileBytes& bytes) {
  RecordOffsets offsets = {0};
  std::vector<std::uint8_t> buffer;
  const std::int64_t end = bytes.size_bytes();
  while (offsets.back() < end) {
    const std::int64_t offset = offsets.back();
    const auto refuse = [&](const std::string& why) {
      throw DataError(why + ": " + bytes.file().string() + ", record " +
                      std::to_string(offsets.size() - 1) + ", offset " + std::to_string(offset));
    };
    if (offset + kFrameHeaderBytes > end) refuse("file is truncated");
    const auto header = bytes.read(offset, kFrameHeaderBytes, buffer);
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

}  // namespace

fs::path index_path(const fs::path& file) {
  const fs::path absolute = fs::absolute(file).lexically_normal();
  fs::path beside = absolute;
  beside += ".index";
  std::error_code error;
  if (fs::exists(beside, error) || is_writable(absolute.parent_path())) return beside;
  return files::cache_folder() / "index" / (hash_name(absolute.string()) + ".index");
}

bool write_index(const fs::path& file, const RecordOffsets& offsets) {
  auto header = header_for(file);
  if (!header) return false;
  header->record_count = static_cast<std::int64_t>(offsets.size()) - 1;
  const fs::path index = index_path(file);
  const std::uint32_t sum = checksum(*header, offsets);
  std::string bytes;
  const auto append = [&](const void* first, std::size_t count) {
    bytes.append(static_cast<const char*>(first), count);
  };
  append(&*header, sizeof(*header));
  append(offsets.data(), offsets.size() * sizeof(offsets[0]));
  append(&sum, sizeof(sum));
  try {
    files::write_file_atomically(index, bytes);
  } catch (const files::OutputError&) {
    return false;
  }
  return true;
}

RecordOffsets record_offsets(const FileBytes& bytes) {
  if (bytes.unpacked()) return walk(bytes);
  if (auto offsets = read_index(bytes.file())) return std::move(*offsets);
  RecordOffsets offsets = walk(bytes);
  write_index(bytes.file(), offsets);
  return offsets;
}

}  // namespace ganscale::data
