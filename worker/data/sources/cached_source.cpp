#include "data/sources/cached_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "data/formats/tfrecord_framing.h"
#include "files/atomic_file.h"
#include "files/remove_temporaries.h"
#include "files/uninterrupted.h"

namespace ganscale::data {
namespace {

FileDescriptor create_unnamed(const std::filesystem::path& folder) {
  const auto refuse = [&](const std::string& reason) {
    throw ConfigError("data.cache.folder cannot be written (" + reason + "): " + folder.string());
  };
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) refuse(error.message());
  // Of processes that were killed right here. Other ranks' files go on without a name.
  constexpr const char* kName = "records";
  files::remove_temporaries(folder, kName);
  const auto temporary = files::temporary_beside(folder / kName);
  FileDescriptor file(files::uninterrupted([&] {
    return ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  }));
  if (file.get() < 0) refuse(std::strerror(errno));
  ::unlink(temporary.c_str());
  return file;
}

/// Calls transfer(done bytes), which returns as pread() does, until all bytes are done. Returns
/// whether they are.
template <class Transfer>
bool transfer_all(std::int64_t size_bytes, Transfer transfer) {
  std::int64_t done = 0;
  while (done < size_bytes) {
    const ssize_t moved = transfer(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    done += moved;
  }
  return true;
}

}  // namespace

CachedSource::CachedSource(const Source& source, const std::filesystem::path& folder,
                           std::int64_t limit_bytes)
    : source_(source), limit_bytes_(limit_bytes), file_(create_unnamed(folder)) {}

void CachedSource::read(std::int64_t index, Record& record) const {
  std::optional<Entry> entry;
  {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(index);
    if (found != entries_.end()) entry = found->second;
  }
  if (entry && read_cached(*entry, record)) {
    cached_reads_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (entry) log::warning("A cached record is damaged", {{"record", describe(index)}});
  source_.read(index, record);
  if (!entry) keep(index, record);
}

bool CachedSource::read_cached(const Entry& entry, Record& record) const {
  record.buffer.resize(static_cast<std::size_t>(entry.size_bytes));
  const bool is_read = transfer_all(entry.size_bytes, [&](std::int64_t done) {
    return ::pread(file_.get(), record.buffer.data() + done, entry.size_bytes - done,
                   entry.offset + done);
  });
  if (!is_read || masked_crc32c(record.buffer) != entry.checksum) return false;
  record.bytes = record.buffer;
  record.encoding = entry.encoding;
  record.channels = entry.channels;
  record.height = entry.height;
  record.width = entry.width;
  record.label = entry.label;
  return true;
}

void CachedSource::keep(std::int64_t index, const Record& record) const {
  Entry entry{.size_bytes = std::ssize(record.bytes),
              .encoding = record.encoding,
              .channels = record.channels,
              .height = record.height,
              .width = record.width,
              .label = record.label};
  {
    const std::scoped_lock lock(mutex_);
    if (!is_writable_ || used_bytes_ + entry.size_bytes > limit_bytes_) return;
    entry.offset = used_bytes_;
    used_bytes_ += entry.size_bytes;
  }
  entry.checksum = masked_crc32c(record.bytes);
  const bool is_written = transfer_all(entry.size_bytes, [&](std::int64_t done) {
    return ::pwrite(file_.get(), record.bytes.data() + done, entry.size_bytes - done,
                    entry.offset + done);
  });
  const int reason = errno;
  const std::scoped_lock lock(mutex_);
  if (is_written) {
    entries_.emplace(index, entry);
  } else if (is_writable_) {
    is_writable_ = false;
    log::warning("Stopped adding records to the cache", {{"reason", std::strerror(reason)}});
  }
}

SourceCounts CachedSource::counts() const {
  SourceCounts counts = source_.counts();
  counts.cached_reads += cached_reads_.load(std::memory_order_relaxed);
  const std::shared_lock lock(mutex_);
  counts.cached_bytes += used_bytes_;
  return counts;
}

}  // namespace ganscale::data
