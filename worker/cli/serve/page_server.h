#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/serve/page_request.h"

namespace ganscale::cli {

/// The address and the token of the page of a run.
struct PageServerConfig {
  std::string address = "127.0.0.1";
  int port = 0;                 ///< 0: any free port
  std::string token_file = {};  ///< empty: `token` is it
  std::string token = {};
  std::string tls_certificate = {};  ///< PEM; empty: plain HTTP
  std::string tls_key = {};          ///< PEM
};

/// A request that waits for its reply, which may be given in any thread.
struct PageExchange {
  PageRequest request;
  std::function<void(const PageReply&)> reply;
};

/// Serves the page of a run. Its thread refuses what refuse() does; all else waits
/// for the caller of next_request(), or is refused with 503 if that is too much.
class PageServer {
 public:
  /// Throws ConfigError if the address can't be bound, the token file is unreadable or empty,
  /// certificate and key can't be used, or the build has no network services
  /// (GANSCALE_SERVICES=OFF).
  explicit PageServer(const PageServerConfig& config);
  /// Closes all connections, also of pending requests.
  ~PageServer();

  /// Removes and returns the oldest request that waits.
  std::optional<PageExchange> next_request();
  int port() const;

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace ganscale::cli
