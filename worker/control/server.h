#pragma once

#include <memory>
#include <optional>
#include <string>

#include "wire/command.h"
#include "wire/job_status.h"

namespace ganscale::control {

/// Where rank 0 listens, and who may speak.
struct ServerConfig {
  std::string address = "0.0.0.0";  ///< without a token file the server listens on 127.0.0.1 alone
  int port = 0;                     ///< 0: any free one
  std::string token_file;
};

/// The control port of a training, as routes.h says; on rank 0.
///
/// Requests are served by two threads of its own. The training only leaves its status here and
/// picks up commands, both without waiting; a client, slow or hostile, can't hold it up. A build
/// without services (GANSCALE_SERVICES=OFF) warns once and has no port.
class Server {
 public:
  /// Throws ConfigError if the address can't be bound, or the token file is unreadable or empty.
  explicit Server(const ServerConfig& config);
  /// Ends all connections.
  ~Server();

  /// What GET /status answers from now on.
  void set_status(const wire::JobStatus& status);
  /// Returns the oldest command that was not taken yet.
  std::optional<wire::Command> next_command();
  /// The port that is served, or 0 in a build without services.
  int port() const;

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace ganscale::control
