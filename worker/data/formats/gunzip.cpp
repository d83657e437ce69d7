#include "data/formats/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>

#include "base/non_copyable.h"

namespace ganscale::data {
namespace {

constexpr std::int64_t kChunkBytes = 1 << 20;
constexpr std::array<std::uint8_t, 3> kGzip{0x1f, 0x8b, 8};  // 8: deflate, the only method

/// Unpacks what it is given, chunk by chunk.
class Inflater : NonCopyable {
 public:
  Inflater() {
    constexpr int kGzipHeader = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipHeader) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }

  std::span<const std::uint8_t> left() const { return {stream_.next_in, stream_.avail_in}; }
  void give(std::span<std::uint8_t> packed) {
    stream_.next_in = packed.data();
    stream_.avail_in = static_cast<unsigned>(packed.size());
  }
  /// Appends up to kChunkBytes to `unpacked`. Returns zlib's status.
  int unpack_onto(std::vector<std::uint8_t>& unpacked) {
    const std::size_t filled = unpacked.size();
    unpacked.resize(filled + kChunkBytes);
    stream_.next_out = unpacked.data() + filled;
    stream_.avail_out = kChunkBytes;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    unpacked.resize(unpacked.size() - stream_.avail_out);
    return status;
  }
  void start_member() { inflateReset(&stream_); }
  const char* reason() const { return stream_.msg != nullptr ? stream_.msg : "damaged"; }

 private:
  z_stream stream_ = {};
};

[[noreturn]] void refuse(const std::string& why, const std::filesystem::path& path,
                         std::size_t unpacked_bytes) {
  throw DataError("gzip file is damaged (" + why + "): " + path.string() + ", offset " +
                  std::to_string(unpacked_bytes) + " unpacked");
}

}  // namespace

bool is_gzip(const StoredFile& file) {
  std::array<std::uint8_t, kGzip.size()> begin{};
  return file.read(0, begin) == std::ssize(begin) && begin == kGzip;
}

std::vector<std::uint8_t> gunzip(const StoredFile& file, const std::filesystem::path& path) {
  std::vector<std::uint8_t> packed(std::max(kChunkBytes, file.block_bytes()));
  std::vector<std::uint8_t> unpacked;
  Inflater inflater;
  std::int64_t offset = 0;
  bool is_whole = false;  // as far as it was read
  while (true) {
    if (inflater.left().empty()) {
      const std::int64_t got = file.read(offset, packed);
      if (got == 0) break;
      offset += got;
      inflater.give(std::span(packed).first(got));
    }
    if (is_whole) {
      if (inflater.left().front() != kGzip.front()) break;
      inflater.start_member();
    }
    const int status = inflater.unpack_onto(unpacked);
    if (status != Z_OK && status != Z_STREAM_END) refuse(inflater.reason(), path, unpacked.size());
    is_whole = status == Z_STREAM_END;
    if (std::ssize(unpacked) > kLargestUnpackedBytes) {
      throw DataError("gzip file unpacks to more than " + std::to_string(kLargestUnpackedBytes) +
                      " bytes; unpack it first: " + path.string());
    }
  }
  if (!is_whole) refuse("unexpected end of file", path, unpacked.size());
  unpacked.shrink_to_fit();
  return unpacked;
}

}  // namespace ganscale::data
