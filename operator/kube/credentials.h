#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "kube/kubeconfig.h"

namespace ganscale::controller {

/// The bearer token of an access: fixed, or of a file that is read again each minute.
class Credentials {
 public:
  explicit Credentials(const ClusterAccess& access);

  /// Returns the token; empty if there is none. While the file can't be read, the last one.
  std::string token();
  /// Reads the file at the next token().
  void refresh();

 private:
  const std::string file_;
  std::mutex mutex_;
  std::string token_;
  std::chrono::steady_clock::time_point read_again_;
};

}  // namespace ganscale::controller
