#include "metrics/networks/network_file.h"

#include "base/error.h"
#include "files/durable_file.h"

namespace ganscale::metrics {

std::string digest_of(const NetworkFile& network) {
  if (network.file.empty()) {
    throw ConfigError(network.key + " is not set; " + network.where_from + ": no file");
  }
  if (!std::filesystem::is_regular_file(network.file)) {
    throw ConfigError(network.key + " does not exist; " + network.where_from + ": " +
                      network.file.string());
  }
  const auto sha256 = files::digest_file(network.file).sha256;
  if (!network.sha256.empty() && network.sha256 != sha256) {
    throw ConfigError(network.key + " is not the expected file: " + network.file.string() +
                      ": SHA-256 " + sha256 + ", expected " + network.sha256);
  }
  return sha256;
}

}  // namespace ganscale::metrics
