#pragma once

#include <filesystem>
#include <string>

namespace ganscale::metrics {

/// A file with a trained network, given by a key of the configuration.
struct NetworkFile {
  std::string key;         ///< for messages, such as "evaluate.feature_net"
  std::string where_from;  ///< where to get one, for messages
  std::filesystem::path file;
  std::string sha256;  ///< expected; empty: any
};

/// Returns the SHA-256 of the file. Throws ConfigError: no file given, no such file, another one.
std::string digest_of(const NetworkFile& network);

}  // namespace ganscale::metrics
