#include "data/formats/zip_directory.h"

#include <isa-l/crc.h>
#include <zlib.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "data/formats/tfrecord_framing.h"
#include "files/endian.h"

namespace ganscale::data {
namespace {

constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::int64_t kEndBytes = 22;
constexpr std::int64_t kEnd64Bytes = 56;
constexpr std::int64_t kLocator64Bytes = 20;
constexpr std::size_t kEntryBytes = 46;
constexpr std::int64_t kLocalBytes = 30;
constexpr std::int64_t kLongestComment = 65535;
constexpr std::uint32_t kIn64 = 0xffffffff;    // the value is in the zip64 field
constexpr std::int64_t kMostInflation = 1032;  // 2 bits of deflate repeat at most 258 bytes

struct Directory {
  std::uint64_t entry_count = 0;
  std::uint64_t count_bytes = 0;
  std::uint64_t offset = 0;
};

[[noreturn]] void refuse(const std::string& why, const FileBytes& bytes, std::int64_t offset) {
  throw DataError(why + ": " + bytes.file().string() + ", offset " + std::to_string(offset));
}

/// Returns the offset of the end record, which is only followed by a comment of unknown length.
std::int64_t find_end(const FileBytes& bytes) {
  std::vector<std::uint8_t> buffer;
  const std::int64_t from =
      std::max<std::int64_t>(0, bytes.size_bytes() - kEndBytes - kLongestComment);
  const auto tail = bytes.read(from, bytes.size_bytes() - from, buffer);
  for (auto at = static_cast<std::int64_t>(tail.size()) - kEndBytes; at >= 0; --at) {
    const std::uint8_t* end = tail.data() + at;
    const std::int64_t comment_end = at + kEndBytes + files::little_endian_16(end + 20);
    if (files::little_endian_32(end) == kEndSignature &&
        comment_end <= static_cast<std::int64_t>(tail.size())) {
      return from + at;
    }
  }
  refuse("zip file is truncated (it has no end record)", bytes, bytes.size_bytes());
}

Directory read_end(const FileBytes& bytes) {
  const std::int64_t end_offset = find_end(bytes);
  std::vector<std::uint8_t> buffer;
  const std::uint8_t* end = bytes.read(end_offset, kEndBytes, buffer).data();
  Directory directory{.entry_count = files::little_endian_16(end + 10),
                      .count_bytes = files::little_endian_32(end + 12),
                      .offset = files::little_endian_32(end + 16)};
  if (end_offset < kLocator64Bytes) return directory;
  const std::uint8_t* locator =
      bytes.read(end_offset - kLocator64Bytes, kLocator64Bytes, buffer).data();
  if (files::little_endian_32(locator) != kLocator64Signature) return directory;
  const auto end64_offset = static_cast<std::int64_t>(files::little_endian_64(locator + 8));
  if (end64_offset < 0 || end64_offset > end_offset) {
    refuse("zip file is damaged (its zip64 locator)", bytes, end_offset - kLocator64Bytes);
  }
  const std::uint8_t* end64 = bytes.read(end64_offset, kEnd64Bytes, buffer).data();
  if (files::little_endian_32(end64) != kEnd64Signature) {
    refuse("zip file is damaged (its zip64 end record)", bytes, end64_offset);
  }
  return {.entry_count = files::little_endian_64(end64 + 32),
          .count_bytes = files::little_endian_64(end64 + 40),
          .offset = files::little_endian_64(end64 + 48)};
}

/// Reads the numbers (of three) that do not fit into 32 bits from the zip64 extra field, where
/// they are in this order. Returns false if the field is missing or too short.
bool apply_zip64(std::span<const std::uint8_t> extra, ZipEntry& entry) {
  std::int64_t* const numbers[] = {&entry.count_bytes, &entry.packed_bytes, &entry.header_offset};
  std::span<const std::uint8_t> field;
  while (extra.size() >= 4) {
    const std::size_t length = files::little_endian_16(extra.data() + 2);
    if (4 + length > extra.size()) break;
    if (files::little_endian_16(extra.data()) == 1) field = extra.subspan(4, length);
    extra = extra.subspan(4 + length);
  }
  for (std::int64_t* number : numbers) {
    if (*number != kIn64) continue;
    if (field.size() < 8) return false;
    *number = static_cast<std::int64_t>(files::little_endian_64(field.data()));
    field = field.subspan(8);
  }
  return true;
}

bool begins_with_entry(std::span<const std::uint8_t> rest) {
  return rest.size() >= kEntryBytes && files::little_endian_32(rest.data()) == kEntrySignature;
}

/// Parses the entry at the start of `rest` and removes it from there. Returns nothing if it is
/// damaged.
std::optional<ZipEntry> take_entry(std::span<const std::uint8_t>& rest) {
  if (!begins_with_entry(rest)) return std::nullopt;
  const std::uint8_t* at = rest.data();
  const std::size_t name_bytes = files::little_endian_16(at + 28);
  const std::size_t extra_bytes = files::little_endian_16(at + 30);
  const std::size_t comment_bytes = files::little_endian_16(at + 32);
  if (kEntryBytes + name_bytes + extra_bytes + comment_bytes > rest.size()) return std::nullopt;
  ZipEntry entry{.name = {reinterpret_cast<const char*>(at) + kEntryBytes, name_bytes},
                 .method = files::little_endian_16(at + 10),
                 .encrypted = (files::little_endian_16(at + 8) & 1) != 0,
                 .crc32 = files::little_endian_32(at + 16),
                 .packed_bytes = files::little_endian_32(at + 20),
                 .count_bytes = files::little_endian_32(at + 24),
                 .header_offset = files::little_endian_32(at + 42)};
  if (!apply_zip64(rest.subspan(kEntryBytes + name_bytes, extra_bytes), entry)) return std::nullopt;
  rest = rest.subspan(kEntryBytes + name_bytes + extra_bytes + comment_bytes);
  return entry;
}

bool lies_in_file(const ZipEntry& entry, const FileBytes& bytes) {
  return entry.header_offset >= 0 && entry.packed_bytes >= 0 && entry.count_bytes >= 0 &&
         entry.header_offset <= bytes.size_bytes() - kLocalBytes &&
         entry.packed_bytes <= bytes.size_bytes() - kLocalBytes - entry.header_offset;
}

void inflate_raw(std::span<const std::uint8_t> packed, std::span<std::uint8_t> out) {
  z_stream stream = {};
  stream.next_in = const_cast<std::uint8_t*>(packed.data());
  stream.avail_in = static_cast<unsigned>(packed.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<unsigned>(out.size());
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_out != 0) {
    throw DataError("deflated data is damaged");
  }
}

/// Reads the local header and the packed bytes after it, in one read unless the header's extra
/// field is unusually long. Returns the offset of the packed bytes in `buffer`.
std::size_t read_packed(const FileBytes& bytes, const ZipEntry& entry,
                        std::vector<std::uint8_t>& buffer) {
  constexpr std::int64_t kUsualExtra = 64;
  const std::int64_t guess =
      kLocalBytes + static_cast<std::int64_t>(entry.name.size()) + kUsualExtra + entry.packed_bytes;
  auto read = bytes.read_some(entry.header_offset, guess, buffer);
  if (static_cast<std::int64_t>(read.size()) < kLocalBytes ||
      files::little_endian_32(read.data()) != kLocalSignature) {
    throw DataError("local header is damaged");
  }
  const std::int64_t data_at = kLocalBytes + files::little_endian_16(read.data() + 26) +
                               files::little_endian_16(read.data() + 28);
  const std::int64_t needed = data_at + entry.packed_bytes;
  if (static_cast<std::int64_t>(read.size()) < needed) {
    bytes.read(entry.header_offset, needed, buffer);
  }
  return static_cast<std::size_t>(data_at);
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const FileBytes& bytes) {
  const Directory directory = read_end(bytes);
  const auto file_bytes = static_cast<std::uint64_t>(bytes.size_bytes());
  if (directory.offset > file_bytes || directory.count_bytes > file_bytes - directory.offset) {
    refuse("zip file is damaged (its end record)", bytes, bytes.size_bytes());
  }
  std::vector<std::uint8_t> buffer;
  const auto offset = static_cast<std::int64_t>(directory.offset);
  const auto all = bytes.read(offset, static_cast<std::int64_t>(directory.count_bytes), buffer);
  auto rest = all;
  std::vector<ZipEntry> entries;
  // Without zip64, some programs write the number of files modulo 65,536, as macOS does.
  for (std::uint64_t i = 0; i < directory.entry_count || begins_with_entry(rest); ++i) {
    const auto at = offset + static_cast<std::int64_t>(all.size() - rest.size());
    auto entry = take_entry(rest);
    if (!entry || !lies_in_file(*entry, bytes)) {
      refuse("zip file is damaged (entry " + std::to_string(i) + " of its directory)", bytes, at);
    }
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::span<const std::uint8_t> read_zip_entry(const FileBytes& bytes, const ZipEntry& entry,
                                             std::vector<std::uint8_t>& buffer) {
  constexpr int kStored = 0;
  constexpr int kDeflated = 8;
  if (entry.encrypted) throw DataError("file is encrypted");
  if (entry.method != kStored && entry.method != kDeflated) {
    throw DataError("compression is neither stored nor deflated (" + std::to_string(entry.method) +
                    ")");
  }
  if (std::max(entry.count_bytes, entry.packed_bytes) > kLongestFrameData)
    throw DataError("file is too large");
  const std::size_t packed_at = read_packed(bytes, entry, buffer);
  std::span<const std::uint8_t> content;
  if (entry.method == kDeflated) {
    if (entry.count_bytes / kMostInflation > entry.packed_bytes)
      throw DataError("file is damaged (it cannot unpack to " + std::to_string(entry.count_bytes) +
                      " bytes)");
    // Unpacked after the packed bytes, so that one buffer is enough.
    const std::size_t unpacked_at = packed_at + entry.packed_bytes;
    buffer.resize(unpacked_at + entry.count_bytes);
    inflate_raw({buffer.data() + packed_at, static_cast<std::size_t>(entry.packed_bytes)},
                std::span(buffer).subspan(unpacked_at));
    content = std::span(buffer).subspan(unpacked_at);
  } else {
    if (entry.packed_bytes != entry.count_bytes) throw DataError("stored file has two sizes");
    content = std::span(buffer).subspan(packed_at, entry.count_bytes);
  }
  if (crc32_gzip_refl(0, content.data(), content.size()) != entry.crc32) {
    throw DataError("checksum of the file is wrong");
  }
  return content;
}

}  // namespace ganscale::data
