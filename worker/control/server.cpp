#include "control/server.h"

#include <mutex>
#include <system_error>

#include "base/error.h"
#include "control/bounded_queue.h"
#include "control/http_messages.h"

namespace ganscale::control {
namespace {

constexpr std::size_t kWaitingCommands = 16;
constexpr const char* kLoopback = "127.0.0.1";

}  // namespace

/// What the training and the handlers, on the server's thread, share.
struct Server::Listener {
  explicit Listener(const ServerConfig& config, const std::string& address)
      : token_file(config.token_file),
        on_stop(config.on_stop),
        commands_refused(config.commands_refused),
        server(
            address, config.port,
            {.refuse = [this](const http::Head& head) { return refuse_by(head); },
             .answer = [this](const http::Head& head, const std::string& body,
                              const http::Handlers::Send& send) { send(answer_to(head, body)); }},
            {.body_bytes = kLargestBodyBytes},
            {.certificate = config.tls_certificate, .key = config.tls_key}) {}

  std::optional<http::Reply> refuse_by(const http::Head& head) const {
    const auto refusal = refuse(request_of(head), read_access(token_file));
    return refusal ? std::optional(reply_of(*refusal)) : std::nullopt;
  }

  http::Reply answer_to(const http::Head& head, const std::string& body) {
    const Response response = answer(request_of(head), body, read_status());
    return reply_of(response.command ? take(response) : response);
  }

  /// Returns the response to a command, which is valid.
  Response take(const Response& accepted) {
    if (on_stop && accepted.command == wire::Command::kStop) {
      on_stop();
      return accepted;
    }
    if (!commands_refused.empty()) return no_commands(commands_refused);
    return commands.try_push(*accepted.command) ? accepted : too_many_commands();
  }

  wire::JobStatus read_status() {
    const std::scoped_lock lock(mutex);
    return status;
  }

  const std::string token_file;
  const std::function<void()> on_stop;
  const std::string commands_refused;
  BoundedQueue<wire::Command> commands{kWaitingCommands};
  std::mutex mutex;
  wire::JobStatus status;
  http::Server server;  // destroyed first: its thread uses what is above
};

Server::Server(const ServerConfig& config) {
  const Access access = read_access(config.token_file);
  if (access.needs_token && access.token.empty()) {
    throw ConfigError("telemetry.token_file: unreadable or empty: " + config.token_file);
  }
  const std::string address = access.needs_token ? config.address : kLoopback;
  try {
    listener_ = std::make_unique<Listener>(config, address);
  } catch (const http::TlsError& error) {
    throw ConfigError(std::string("telemetry.tls_certificate, tls_key: ") + error.what());
  } catch (const std::system_error& error) {
    throw ConfigError(http::listen_error(error, address, config.port,
                                         {"telemetry.bind_address", "telemetry.control_port"}));
  }
}

Server::~Server() = default;

void Server::set_status(const wire::JobStatus& status) {
  const std::scoped_lock lock(listener_->mutex);
  listener_->status = status;
}

std::optional<wire::Command> Server::next_command() { return listener_->commands.try_pop(); }

int Server::port() const { return listener_->server.port(); }

}  // namespace ganscale::control
