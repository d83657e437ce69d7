// Preloaded into a program (LD_PRELOAD): stands before the calls of libc that reach files, and lets one of them fail as
// FaultPlan says. The program itself knows nothing of it.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "fault_plan.h"

namespace {

using ganscale::faults::By;
using ganscale::faults::FaultPlan;
using ganscale::faults::Outcome;

FaultPlan& plan() { return FaultPlan::instance(); }

/// Returns the function of libc that has this name.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void die_if(bool is_last) {
  if (is_last) ::raise(SIGKILL);
}

/// Returns `failed` instead of making the call if it is to fail.
template <class Result, class Call>
Result guarded(const Outcome& outcome, Result failed, Call call) {
  die_if(outcome.is_last);
  if (outcome.error == 0) return call();
  errno = outcome.error;
  return failed;
}

template <class Call>
int with_path(const char* name, int folder, const char* path, Call call) {
  return guarded(plan().of_call(name, By::kPath, plan().resolve(folder, path)), -1, call);
}

template <class Call>
int with_path(const char* name, const char* path, Call call) {
  return with_path(name, AT_FDCWD, path, call);
}

template <class Call>
int with_descriptor(const char* name, int descriptor, Call call) {
  return guarded(plan().of_call(name, By::kDescriptor, plan().path_of(descriptor)), -1, call);
}

/// Makes a call that moves `count` bytes: call(count).
template <class Call>
ssize_t transfer(const char* name, int descriptor, std::size_t count, Call call) {
  const Outcome outcome = plan().of_call(name, By::kDescriptor, plan().path_of(descriptor));
  if (outcome.error != 0) {
    errno = outcome.error;
    return -1;
  }
  const ssize_t moved = call(outcome.is_short ? (count + 1) / 2 : count);
  die_if(outcome.is_last);
  return moved;
}

const char* name_of_open(int flags) {
  if ((flags & O_DIRECTORY) != 0) return "opendir";
  return (flags & (O_ACCMODE | O_CREAT)) == O_RDONLY ? "open" : "create";
}

/// Opens a file or folder: call() returns its descriptor.
template <class Call>
int open_with(int folder, const char* path, int flags, Call call) {
  return with_path(name_of_open(flags), folder, path, [&] {
    const int descriptor = call();
    plan().opened(descriptor, plan().resolve(folder, path));
    return descriptor;
  });
}

/// Closes a file, whether or not that is to fail: so does Linux. call() does it.
template <class Call>
int close_with(int descriptor, Call call) {
  const Outcome outcome = plan().of_call("close", By::kDescriptor, plan().path_of(descriptor));
  die_if(outcome.is_last);
  plan().closed(descriptor);
  const int result = call();
  if (outcome.error == 0) return result;
  errno = outcome.error;
  return -1;
}

mode_t mode_in(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

}  // namespace

#pragma GCC diagnostic ignored "-Wattribute-alias"     // stat64 is stat
#pragma GCC diagnostic ignored "-Wmissing-attributes"  // of those that they stand before

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  static const auto real = next<int(const char*, int, ...)>("open");
  return open_with(AT_FDCWD, path, flags, [&] { return real(path, flags, mode); });
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  static const auto real = next<int(int, const char*, int, ...)>("openat");
  return open_with(folder, path, flags, [&] { return real(folder, path, flags, mode); });
}
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));

FILE* fopen(const char* path, const char* mode) {
  static const auto real = next<FILE*(const char*, const char*)>("fopen");
  FILE* file = nullptr;
  const int flags = std::strchr(mode, 'r') != nullptr ? O_RDONLY : O_WRONLY | O_CREAT;
  open_with(AT_FDCWD, path, flags, [&] {
    file = real(path, mode);
    return file == nullptr ? -1 : ::fileno(file);
  });
  return file;
}
FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));

int fclose(FILE* file) {
  static const auto real = next<int(FILE*)>("fclose");
  return close_with(::fileno(file), [&] { return real(file); });
}

int close(int descriptor) {
  static const auto real = next<int(int)>("close");
  return close_with(descriptor, [&] { return real(descriptor); });
}

ssize_t read(int descriptor, void* bytes, size_t count) {
  static const auto real = next<ssize_t(int, void*, size_t)>("read");
  return transfer("read", descriptor, count, [&](size_t n) { return real(descriptor, bytes, n); });
}

ssize_t pread(int descriptor, void* bytes, size_t count, off_t offset) {
  static const auto real = next<ssize_t(int, void*, size_t, off_t)>("pread");
  return transfer("pread", descriptor, count,
                  [&](size_t n) { return real(descriptor, bytes, n, offset); });
}
ssize_t pread64(int descriptor, void* bytes, size_t count, off64_t offset)
    __attribute__((alias("pread")));

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto real = next<ssize_t(int, const void*, size_t)>("write");
  return transfer("write", descriptor, count, [&](size_t n) { return real(descriptor, bytes, n); });
}

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  static const auto real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return transfer("pwrite", descriptor, count,
                  [&](size_t n) { return real(descriptor, bytes, n, offset); });
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset)
    __attribute__((alias("pwrite")));

ssize_t writev(int descriptor, const iovec* parts, int part_count) {
  static const auto real = next<ssize_t(int, const iovec*, int)>("writev");
  const iovec& last = parts[part_count - 1];  // the others may be empty
  return transfer("writev", descriptor, last.iov_len, [&](size_t n) {
    if (n == last.iov_len) return real(descriptor, parts, part_count);
    const iovec half{last.iov_base, n};
    return part_count == 1 ? real(descriptor, &half, 1) : real(descriptor, parts, part_count - 1);
  });
}

off_t lseek(int descriptor, off_t offset, int from) {
  static const auto real = next<off_t(int, off_t, int)>("lseek");
  return guarded(plan().of_call("lseek", By::kDescriptor, plan().path_of(descriptor)), off_t{-1},
                 [&] { return real(descriptor, offset, from); });
}
off64_t lseek64(int descriptor, off64_t offset, int from) __attribute__((alias("lseek")));

int fsync(int descriptor) {
  static const auto real = next<int(int)>("fsync");
  return with_descriptor("fsync", descriptor, [&] { return real(descriptor); });
}

int fdatasync(int descriptor) {
  static const auto real = next<int(int)>("fdatasync");
  return with_descriptor("fdatasync", descriptor, [&] { return real(descriptor); });
}

int ftruncate(int descriptor, off_t size) noexcept {
  static const auto real = next<int(int, off_t)>("ftruncate");
  return with_descriptor("ftruncate", descriptor, [&] { return real(descriptor, size); });
}
int ftruncate64(int descriptor, off64_t size) noexcept __attribute__((alias("ftruncate")));

int flock(int descriptor, int operation) noexcept {
  static const auto real = next<int(int, int)>("flock");
  return with_descriptor("flock", descriptor, [&] { return real(descriptor, operation); });
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("rename");
  return with_path("rename", to, [&] { return real(from, to); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  static const auto real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return with_path("rename", to_folder, to,
                   [&] { return real(from_folder, from, to_folder, to, flags); });
}

int unlink(const char* path) noexcept {
  static const auto real = next<int(const char*)>("unlink");
  return with_path("unlink", path, [&] { return real(path); });
}

int remove(const char* path) noexcept {
  static const auto real = next<int(const char*)>("remove");
  return with_path("unlink", path, [&] { return real(path); });
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  static const auto real = next<int(int, const char*, int)>("unlinkat");
  return with_path("unlink", folder, path, [&] { return real(folder, path, flags); });
}

int rmdir(const char* path) noexcept {
  static const auto real = next<int(const char*)>("rmdir");
  return with_path("unlink", path, [&] { return real(path); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int(const char*, mode_t)>("mkdir");
  return with_path("mkdir", path, [&] { return real(path, mode); });
}

int access(const char* path, int mode) noexcept {
  static const auto real = next<int(const char*, int)>("access");
  return with_path("access", path, [&] { return real(path, mode); });
}

int stat(const char* path, struct stat* status) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("stat");
  return with_path("stat", path, [&] { return real(path, status); });
}
int stat64(const char* path, struct stat64* status) noexcept __attribute__((alias("stat")));

int lstat(const char* path, struct stat* status) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("lstat");
  return with_path("stat", path, [&] { return real(path, status); });
}
int lstat64(const char* path, struct stat64* status) noexcept __attribute__((alias("lstat")));

int fstat(int descriptor, struct stat* status) noexcept {
  static const auto real = next<int(int, struct stat*)>("fstat");
  return with_descriptor("fstat", descriptor, [&] { return real(descriptor, status); });
}
int fstat64(int descriptor, struct stat64* status) noexcept __attribute__((alias("fstat")));

int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  static const auto real = next<int(int, const char*, struct stat*, int)>("fstatat");
  return with_path("stat", folder, path, [&] { return real(folder, path, status, flags); });
}
int fstatat64(int folder, const char* path, struct stat64* status, int flags) noexcept
    __attribute__((alias("fstatat")));

// The names of glibc before 2.33, which LibTorch calls, and with it std::filesystem.
int __xstat(int version, const char* path, struct stat* status) noexcept {
  static const auto real = next<int(int, const char*, struct stat*)>("__xstat");
  return with_path("stat", path, [&] { return real(version, path, status); });
}
int __xstat64(int version, const char* path, struct stat* status) noexcept
    __attribute__((alias("__xstat")));

int __lxstat(int version, const char* path, struct stat* status) noexcept {
  static const auto real = next<int(int, const char*, struct stat*)>("__lxstat");
  return with_path("stat", path, [&] { return real(version, path, status); });
}
int __lxstat64(int version, const char* path, struct stat* status) noexcept
    __attribute__((alias("__lxstat")));

int __fxstat(int version, int descriptor, struct stat* status) noexcept {
  static const auto real = next<int(int, int, struct stat*)>("__fxstat");
  return with_descriptor("fstat", descriptor, [&] { return real(version, descriptor, status); });
}
int __fxstat64(int version, int descriptor, struct stat* status) noexcept
    __attribute__((alias("__fxstat")));

DIR* opendir(const char* path) {
  static const auto real = next<DIR*(const char*)>("opendir");
  DIR* folder = nullptr;
  open_with(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, [&] {
    folder = real(path);
    return folder == nullptr ? -1 : ::dirfd(folder);
  });
  return folder;
}

int closedir(DIR* folder) {
  static const auto real = next<int(DIR*)>("closedir");
  return close_with(::dirfd(folder), [&] { return real(folder); });
}

dirent* readdir(DIR* folder) {
  static const auto real = next<dirent*(DIR*)>("readdir");
  return guarded(plan().of_call("readdir", By::kDescriptor, plan().path_of(::dirfd(folder))),
                 static_cast<dirent*>(nullptr), [&] { return real(folder); });
}
dirent64* readdir64(DIR* folder) __attribute__((alias("readdir")));

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += plan().clock_jump_seconds();
  return result;
}

time_t time(time_t* now) noexcept {
  timespec exact{};
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now != nullptr) *now = exact.tv_sec;
  return exact.tv_sec;
}

}  // extern "C"
