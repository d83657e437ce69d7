#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "wire/command.h"
#include "wire/job_status.h"

namespace ganscale::control {

/// Address, port and token of the control port.
struct ServerConfig {
  std::string address = "0.0.0.0";  ///< without a token file, the server listens on 127.0.0.1 only
  int port = 0;                     ///< 0: any free port
  std::string token_file;
  std::string tls_certificate = {};  ///< PEM; empty: plain HTTP
  std::string tls_key = {};          ///< PEM
  /// Carries out the command stop, on the server's thread. Empty: it waits for next_command().
  std::function<void()> on_stop = {};
  std::string commands_refused = {};  ///< why the other commands are; empty: they are taken
};

/// The control port of a training (see routes.h), on rank 0.
///
/// A thread serves requests. The training only sets its status and takes commands, both without
/// waiting, so a slow or hostile client can't block it; what clients can take up is bounded
/// (http::Limits). A build without services (GANSCALE_SERVICES=OFF) warns once and has no port.
class Server {
 public:
  /// Throws ConfigError if the address can't be bound, the token file is unreadable or empty, or
  /// certificate and key can't be used.
  explicit Server(const ServerConfig& config);
  /// Closes all connections.
  ~Server();

  /// Sets what GET /status returns from now on.
  void set_status(const wire::JobStatus& status);
  /// Removes and returns the oldest pending command.
  std::optional<wire::Command> next_command();
  /// Returns the port; 0 in a build without services.
  int port() const;

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace ganscale::control
