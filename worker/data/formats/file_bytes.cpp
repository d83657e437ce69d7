#include "data/formats/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/log.h"
#include "files/file_descriptor.h"
#include "files/uninterrupted.h"

namespace ganscale::data {
namespace {

[[noreturn]] void refuse(const std::string& why, const std::filesystem::path& file) {
  throw DataError(why + ": " + file.string());
}

/// Throws for an error of the system: of the type that says whether it may pass.
[[noreturn]] void fail(int reason, const std::string& what) {
  constexpr std::array kTransient{EIO,       EAGAIN,      ESTALE,       ETIMEDOUT,  EBUSY,
                                  ENOMEM,    ENOBUFS,     EMFILE,       ENFILE,     ENETDOWN,
                                  ENETRESET, ENETUNREACH, EHOSTUNREACH, ECONNRESET, ECONNABORTED,
                                  EHOSTDOWN, EREMOTEIO,   ENOLINK,      ECOMM,      EINTR};
  if (std::ranges::find(kTransient, reason) != kTransient.end()) throw TransientReadError(what);
  throw DataError(what);
}

[[noreturn]] void fail_to_read(int reason, const std::filesystem::path& file, std::int64_t offset) {
  fail(reason, std::string("cannot read (") + std::strerror(reason) + "): " + file.string() +
                   ", offset " + std::to_string(offset));
}

std::int64_t modified_ns(const struct stat& status) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec;
}

bool is_gzip(int descriptor, const std::filesystem::path& file) {
  constexpr std::array<std::uint8_t, 3> kGzip{0x1f, 0x8b, 8};  // 8: deflate, the only method
  std::array<std::uint8_t, 3> begin{};
  const auto got =
      files::uninterrupted([&] { return ::pread(descriptor, begin.data(), begin.size(), 0); });
  if (got < 0) fail_to_read(errno, file, 0);
  return got == std::ssize(begin) && begin == kGzip;
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& file) : file_(file) {
  FileDescriptor opened(
      files::uninterrupted([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC); }));
  struct stat status = {};
  if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0) {
    const int reason = errno;
    fail(reason,
         std::string("cannot open the file (") + std::strerror(reason) + "): " + file_.string());
  }
  if (!S_ISREG(status.st_mode)) refuse("not a regular file", file_);
  if (is_gzip(opened.get(), file_)) {
    unpack();
    return;
  }
  size_bytes_ = status.st_size;
  modified_ns_ = modified_ns(status);
  descriptor_ = opened.release();
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      modified_ns_(other.modified_ns_),
      is_written_(other.is_written_.load()),
      unpacked_(std::move(other.unpacked_)) {}

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileBytes::unpack() {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file_.c_str(), "rb"), gzclose);
  if (!in) refuse("cannot open the gzip file", file_);
  constexpr unsigned kChunkBytes = 1U << 20;
  gzbuffer(in.get(), kChunkBytes / 4);
  std::int64_t filled = 0;
  while (true) {
    unpacked_.resize(filled + kChunkBytes);
    const int got = gzread(in.get(), unpacked_.data() + filled, kChunkBytes);
    if (got < 0) break;
    filled += got;
    if (got < static_cast<int>(kChunkBytes)) break;
    if (filled > kLargestUnpackedBytes) {
      refuse("gzip file unpacks to more than " + std::to_string(kLargestUnpackedBytes) +
                 " bytes; unpack it first",
             file_);
    }
  }
  int code = Z_OK;
  const char* reason = gzerror(in.get(), &code);
  if (code != Z_OK) {
    throw DataError("gzip file is damaged (" + std::string(reason) + "): " + file_.string() +
                    ", offset " + std::to_string(filled) + " unpacked");
  }
  unpacked_.resize(filled);
  unpacked_.shrink_to_fit();
  size_bytes_ = filled;
}

void FileBytes::warn_once_if_written() const {
  struct stat now = {};
  if (is_written_ || ::fstat(descriptor_, &now) != 0) return;
  if (now.st_size == size_bytes_ && modified_ns(now) == modified_ns_) return;
  if (is_written_.exchange(true)) return;
  log::warning("A file of the dataset was written to after it was opened; records may differ",
               {{"file", file_}});
}

std::span<const std::uint8_t> FileBytes::read_some(std::int64_t offset, std::int64_t count,
                                                   std::vector<std::uint8_t>& buffer) const {
  const std::int64_t available = std::clamp<std::int64_t>(size_bytes_ - offset, 0, count);
  if (unpacked()) return {unpacked_.data() + offset, static_cast<std::size_t>(available)};
  buffer.resize(available);
  std::int64_t filled = 0;
  while (filled < available) {
    const auto got =
        ::pread(descriptor_, buffer.data() + filled, available - filled, offset + filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(errno, file_, offset + filled);
    if (got == 0) break;
    filled += got;
  }
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

std::vector<std::uint8_t> read_file(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  std::vector<std::uint8_t> content;
  const auto read = bytes.read(0, bytes.size_bytes(), content);
  if (bytes.unpacked()) content.assign(read.begin(), read.end());
  return content;
}

}  // namespace ganscale::data
