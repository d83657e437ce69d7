#include "data/storage/local_storage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "files/file_descriptor.h"
#include "files/uninterrupted.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

/// Throws for an error of the system: of the type that says whether it may pass.
[[noreturn]] void fail(int reason, const std::string& what) {
  constexpr std::array kTransient{EIO,       EAGAIN,      ESTALE,       ETIMEDOUT,  EBUSY,
                                  ENOMEM,    ENOBUFS,     EMFILE,       ENFILE,     ENETDOWN,
                                  ENETRESET, ENETUNREACH, EHOSTUNREACH, ECONNRESET, ECONNABORTED,
                                  EHOSTDOWN, EREMOTEIO,   ENOLINK,      ECOMM,      EINTR};
  if (std::ranges::find(kTransient, reason) != kTransient.end()) throw TransientReadError(what);
  throw DataError(what);
}

std::int64_t modified_ns_of(const struct stat& status) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec;
}

class LocalFile : public StoredFile {
 public:
  explicit LocalFile(const fs::path& file)
      : file_(file),
        descriptor_(
            files::uninterrupted([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC); })) {
    struct stat status = {};
    if (descriptor_.get() < 0 || ::fstat(descriptor_.get(), &status) != 0) {
      const int reason = errno;
      fail(reason,
           std::string("cannot open the file (") + std::strerror(reason) + "): " + file_.string());
    }
    if (!S_ISREG(status.st_mode)) throw DataError("not a regular file: " + file_.string());
    size_bytes_ = status.st_size;
    modified_ns_ = modified_ns_of(status);
  }

  std::int64_t size_bytes() const override { return size_bytes_; }

  std::int64_t read(std::int64_t offset, std::span<std::uint8_t> into) const override {
    std::size_t filled = 0;
    while (filled < into.size()) {
      const auto at = static_cast<std::int64_t>(offset + filled);
      const auto got = files::uninterrupted([&] {
        return ::pread(descriptor_.get(), into.data() + filled, into.size() - filled, at);
      });
      if (got < 0) {
        const int reason = errno;
        fail(reason, std::string("cannot read (") + std::strerror(reason) + "): " + file_.string() +
                         ", offset " + std::to_string(at));
      }
      if (got == 0) break;
      filled += got;
    }
    return static_cast<std::int64_t>(filled);
  }

  std::int64_t block_bytes() const override { return 4096; }  // a page: the kernel reads ahead
  std::int64_t modified_ns() const override { return modified_ns_; }

  bool is_written() const override {
    struct stat now = {};
    return ::fstat(descriptor_.get(), &now) == 0 &&
           (now.st_size != size_bytes_ || modified_ns_of(now) != modified_ns_);
  }

 private:
  fs::path file_;
  FileDescriptor descriptor_;
  std::int64_t size_bytes_ = 0;
  std::int64_t modified_ns_ = 0;
};

/// Returns the files, and the broken links, that an iterator over folders comes to.
template <class Iterator>
std::vector<ListedFile> files_of(Iterator entries) {
  std::vector<ListedFile> files;
  for (const fs::directory_entry& entry : entries) {
    const bool is_broken_link = entry.is_symlink() && !entry.exists();
    if (is_broken_link || entry.is_regular_file())
      files.push_back({.path = entry.path(), .is_broken_link = is_broken_link});
  }
  return files;
}

class LocalStorage : public Storage {
 public:
  bool is_file(const fs::path& path) const override { return fs::is_regular_file(path); }
  bool is_folder(const fs::path& path) const override { return fs::is_directory(path); }

  std::vector<ListedFile> files_in(const fs::path& folder) const override {
    return files_of(fs::directory_iterator(folder));
  }

  std::vector<ListedFile> files_below(const fs::path& folder) const override {
    return files_of(
        fs::recursive_directory_iterator(folder, fs::directory_options::follow_directory_symlink));
  }

  std::unique_ptr<StoredFile> open(const ListedFile& file) const override {
    return std::make_unique<LocalFile>(file.path);
  }
};

}  // namespace

const Storage& local_storage() {
  static const LocalStorage kStorage;
  return kStorage;
}

}  // namespace ganscale::data
