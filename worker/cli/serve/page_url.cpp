#include "cli/serve/page_url.h"

namespace ganscale::cli {

bool is_on_all_interfaces(const PageServerConfig& config) { return config.address == "0.0.0.0"; }

std::string page_url(const PageServerConfig& config, int port) {
  const std::string scheme = config.tls_certificate.empty() ? "http://" : "https://";
  const std::string host = is_on_all_interfaces(config) ? "localhost" : config.address;
  const std::string query = config.token.empty() ? "" : "?token=" + config.token;
  return scheme + host + ":" + std::to_string(port) + "/" + query;
}

}  // namespace ganscale::cli
