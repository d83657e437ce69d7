#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ganscale {

/// Exit codes of all binaries. mpirun passes on a rank's code, so they are an interface: the
/// operator restarts on kFabric, kDevice, kPeerLost and kStopped, never on the others.
enum class ExitCode : int {
  kOk = 0,
  kUsage = 64,
  kData = 65,
  kFabric = 69,
  kBug = 70,
  kDevice = 71,
  kPeerLost = 75,
  kConfig = 78,
  kStopped = 143,
};

/// An error that ends the verb. Who can fix it decides the type; only main() catches it.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// The command line is wrong.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& what) : Error(ExitCode::kUsage, what) {}
};

/// The configuration is wrong: the message names file, line and key.
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& what) : Error(ExitCode::kConfig, what) {}
};

/// Data is missing, truncated or corrupt: the message names file, record and offset.
class DataError : public Error {
 public:
  explicit DataError(const std::string& what) : Error(ExitCode::kData, what) {}
};

/// The network between the nodes is not what a training needs: see comm/preflight.
class FabricError : public Error {
 public:
  explicit FabricError(const std::string& what) : Error(ExitCode::kFabric, what) {}
};

/// A device failed, or the requested device does not exist.
class DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& what) : Error(ExitCode::kDevice, what) {}
};

/// A peer rank hung or died. The run can be restarted from its last checkpoint.
class PeerLost : public Error {
 public:
  explicit PeerLost(const std::string& what) : Error(ExitCode::kPeerLost, what) {}
};

/// Throws Error(kBug) with file and line unless `ok`. For bugs only; mistakes of the user are a
/// ConfigError.
void check(bool ok, std::string_view why,
           std::source_location at = std::source_location::current());

}  // namespace ganscale
