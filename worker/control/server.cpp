#include "control/server.h"

#include <mutex>

#include "base/error.h"
#include "control/bounded_queue.h"
#include "control/http.h"
#include "control/routes.h"

namespace ganscale::control {
namespace {

using web::http::http_request;
using web::http::experimental::listener::http_listener;

constexpr std::size_t kWaitingCommands = 16;
constexpr const char* kLoopback = "127.0.0.1";

/// State shared by the training and the handlers. Handlers hold it by shared_ptr because cpprestsdk
/// may finish one after the listener is closed.
struct State {
  explicit State(std::string file) : token_file(std::move(file)) {}

  wire::JobStatus read_status() {
    const std::scoped_lock lock(mutex);
    return status;
  }

  const std::string token_file;
  BoundedQueue<wire::Command> commands{kWaitingCommands};
  std::mutex mutex;
  wire::JobStatus status;
};

Request head_of(const http_request& request) {
  Request head{.method = request.method(),
               .path = request.relative_uri().path(),
               .authorization = header(request, "Authorization"),
               .content_type = header(request, "Content-Type"),
               .content_length_bytes = {},
               .peer_is_loopback = is_loopback(request.remote_address())};
  std::uint64_t length_bytes = 0;
  if (request.headers().match("Content-Length", length_bytes)) {
    head.content_length_bytes = length_bytes;
  }
  return head;
}

void reply(const http_request& request, const Response& response, bool close_connection) {
  web::http::http_response message(static_cast<web::http::status_code>(response.status));
  // Paths need not be UTF-8, and a response must not throw.
  message.set_body(
      response.body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
      "application/json");
  for (const auto& [name, value] : response.headers) message.headers().add(name, value);
  send(request, message, close_connection);
}

void answer_with_body(State& state, const http_request& request, const Request& head,
                      const pplx::task<std::string>& body) {
  std::string text;
  try {
    text = body.get();
  } catch (const std::exception&) {
    // The connection broke or the encoding is unknown: no command either way.
  }
  Response response = answer(head, text, state.read_status());
  if (response.command && !state.commands.try_push(*response.command)) {
    response = too_many_commands();
  }
  reply(request, response, /*close_connection=*/false);
}

void handle(const std::shared_ptr<State>& state, http_request request) {
  const Request head = head_of(request);
  if (const auto refusal = refuse(head, read_access(state->token_file))) {
    stop_reading(request);
    reply(request, *refusal, /*close_connection=*/true);
    return;
  }
  if (head.method == "GET") {
    reply(request, answer(head, "", state->read_status()), /*close_connection=*/false);
    return;
  }
  request.extract_utf8string(/*ignore_content_type=*/true)
      .then([state, request, head](const pplx::task<std::string>& body) {
        answer_with_body(*state, request, head, body);
      });
}

}  // namespace

struct Server::Listener {
  Listener(const ServerConfig& config, const std::string& address, int port)
      : state(std::make_shared<State>(config.token_file)),
        port(port),
        http("http://" + address + ":" + std::to_string(port)) {
    http.support([state = state](const http_request& request) { handle(state, request); });
  }

  std::shared_ptr<State> state;
  int port;
  http_listener http;
};

Server::Server(const ServerConfig& config) {
  const Access access = read_access(config.token_file);
  if (access.needs_token && access.token.empty()) {
    throw ConfigError("telemetry.token_file: unreadable or empty: " + config.token_file);
  }
  start_threads();
  const std::string address = access.needs_token ? config.address : kLoopback;
  const int port = config.port == 0 ? free_port(address) : config.port;
  if (port == 0) throw ConfigError("telemetry.bind_address: can't listen on " + address);
  listener_ = std::make_unique<Listener>(config, address, port);
  try {
    listener_->http.open().get();
  } catch (const std::exception& error) {
    throw ConfigError("telemetry.control_port: can't listen on " + address + ":" +
                      std::to_string(port) + " (" + error.what() +
                      "); is another training using it? 0 picks any free port, -1 turns it off");
  }
}

Server::~Server() {
  try {
    listener_->http.close().wait();
  } catch (const std::exception&) {
    // It is going away, and so are its connections.
  }
}

void Server::set_status(const wire::JobStatus& status) {
  const std::scoped_lock lock(listener_->state->mutex);
  listener_->state->status = status;
}

std::optional<wire::Command> Server::next_command() { return listener_->state->commands.try_pop(); }

int Server::port() const { return listener_->port; }

}  // namespace ganscale::control
