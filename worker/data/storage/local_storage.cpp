#include "data/storage/local_storage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <type_traits>

#include "files/file_descriptor.h"
#include "files/uninterrupted.h"

namespace ganscale::data {
namespace {

namespace fs = std::filesystem;

/// Throws for an error of the system: of the type that says whether the storage failed, and whether
/// that may pass. ENOTCONN: the process behind a FUSE mount has died. ESHUTDOWN: Lustre has evicted
/// this machine.
[[noreturn]] void fail(int reason, std::string what) {
  constexpr std::array kTransient{EIO,       EAGAIN,      ESTALE,       ETIMEDOUT,  EBUSY,
                                  ENOMEM,    ENOBUFS,     EMFILE,       ENFILE,     ENETDOWN,
                                  ENETRESET, ENETUNREACH, EHOSTUNREACH, ECONNRESET, ECONNABORTED,
                                  EHOSTDOWN, EREMOTEIO,   ENOLINK,      ECOMM,      EINTR,
                                  ENOTCONN,  ESHUTDOWN};
  if (reason == EMFILE) what += "; raise the limit of open files (ulimit -n)";
  if (std::ranges::find(kTransient, reason) != kTransient.end()) throw TransientReadError(what);
  if (reason == ENOENT || reason == ENOTDIR) throw DataError(what);  // there is no such file
  throw StorageError(what);
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

[[noreturn]] void fail_to_open(const std::error_code& reason, const fs::path& path) {
  fail(reason.value(), "cannot open (" + reason.message() + "): " + path.string());
}

/// Returns what is at a path; of a link, what it leads to.
fs::file_type type_at(const fs::path& path) {
  std::error_code error;
  const auto type = fs::status(path, error).type();
  // A pattern with a list may be longer than the name of any file.
  if (type == fs::file_type::none && error != std::errc::filename_too_long)
    fail_to_open(error, path);
  return type;
}

/// Adds an entry of a folder if it is a file or a broken link.
void add_entry(const fs::directory_entry& entry, std::vector<ListedFile>& files) {
  std::error_code error;
  const bool is_file = entry.is_regular_file(error);
  const bool is_broken_link =
      error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  if (error && !is_broken_link) fail_to_open(error, entry.path());
  if (is_file || is_broken_link)
    files.push_back({.path = entry.path(), .is_broken_link = is_broken_link});
}

/// Returns the files, and the broken links, that an iterator over a folder comes to.
template <class Iterator>
std::vector<ListedFile> files_of(const fs::path& folder, fs::directory_options options) {
  std::vector<ListedFile> files;
  std::error_code error;
  fs::path at = folder;  // which is opened next if it is a folder
  for (Iterator entry(folder, options, error); !error && entry != Iterator();
       entry.increment(error)) {
    at = entry->path();
    if (!is_hidden(at.filename().native())) {
      add_entry(*entry, files);
    } else if constexpr (std::is_same_v<Iterator, fs::recursive_directory_iterator>) {
      entry.disable_recursion_pending();
    }
  }
  if (error) fail_to_open(error, at);
  return files;
}

class LocalStorage : public Storage {
 public:
  bool is_file(const fs::path& path) const override {
    return type_at(path) == fs::file_type::regular;
  }

  bool is_folder(const fs::path& path) const override {
    return type_at(path) == fs::file_type::directory;
  }

  std::vector<ListedFile> files_in(const fs::path& folder) const override {
    return files_of<fs::directory_iterator>(folder, fs::directory_options::none);
  }

  std::vector<ListedFile> files_below(const fs::path& folder) const override {
    return files_of<fs::recursive_directory_iterator>(
        folder, fs::directory_options::follow_directory_symlink);
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
