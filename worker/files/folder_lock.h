#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "files/file_descriptor.h"

namespace ganscale::files {

/// Keeps other processes out of a folder for as long as it lives.
///
/// It holds flock(2) on a file of the folder, in which it identifies itself. That excludes
/// processes of the same machine on every file system with locks, and of other machines on NFS from
/// version 4, Lustre mounted with flock, CephFS and GPFS. Without locks it warns, and attempts of
/// the operator are distinguished only by the content of the file: see require_attempt().
class FolderLock {
 public:
  /// attempt:  TRAINING/NUMBER, as the operator counts them; empty for a process started by hand.
  /// patience: how long to wait for another process, which may be ending.
  /// option:   of the command line, that names the folder.
  ///
  /// Throws ConfigError with host, process and time of the holder; for an attempt PeerLost, since
  /// the other may end. Throws PeerLost, too, for an attempt after which a later one has begun.
  FolderLock(const std::filesystem::path& file, const std::string& attempt,
             std::chrono::milliseconds patience = std::chrono::seconds(10),
             const std::string& option = "--run");

 private:
  FileDescriptor descriptor_;
};

/// Throws PeerLost if the file says that another attempt, or a process started by hand, has taken
/// the folder over: nothing more may be written there. To be asked before something is replaced.
/// Does nothing without the file or if it names no process, or for one that is not an attempt.
/// Throws DataError if the file can't be read.
void require_attempt(const std::filesystem::path& file, const std::string& attempt);

}  // namespace ganscale::files
