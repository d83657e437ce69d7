#include "cli/serve/page_server.h"

#include "base/error.h"
#include "control/bounded_queue.h"
#include "control/http.h"

namespace ganscale::cli {
namespace {

using web::http::http_request;
using web::http::experimental::listener::http_listener;

constexpr std::size_t kWaitingRequests = 16;
// Nothing but what the page itself brings along is loaded or run, and no other page shows it.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// State that handlers hold by shared_ptr because cpprestsdk may finish one after the listener is
/// closed.
struct State {
  explicit State(PageServerConfig config) : config(std::move(config)) {}

  /// The file is read every time, so a mounted Secret can be rotated.
  control::Access access() const {
    if (config.token_file.empty()) return {.needs_token = true, .token = config.token};
    return control::read_access(config.token_file);
  }

  const PageServerConfig config;
  BoundedQueue<PageExchange> waiting{kWaitingRequests};
};

/// Throws std::exception if the address has an invalid escape.
PageRequest request_of(const http_request& request) {
  PageRequest head{.method = request.method(),
                   .path = request.relative_uri().path(),
                   .authorization = control::header(request, "Authorization"),
                   .query = {}};
  for (const auto& [name, value] : web::uri::split_query(request.relative_uri().query())) {
    head.query[web::uri::decode(name)] = web::uri::decode(value);
  }
  return head;
}

void reply_to(const http_request& request, const PageReply& reply) {
  web::http::http_response message(static_cast<web::http::status_code>(reply.status));
  message.set_body(reply.body, reply.media_type);
  for (const auto& [name, value] : reply.headers) message.headers().add(name, value);
  message.headers().add("Cache-Control", "no-store");
  message.headers().add("Content-Security-Policy", kContentPolicy);
  message.headers().add("Referrer-Policy", "no-referrer");
  message.headers().add("X-Content-Type-Options", "nosniff");
  control::send(request, message, /*close_connection=*/reply.status >= 400);
}

void handle(State& state, const http_request& request) {
  std::optional<PageReply> refusal;
  try {
    const PageRequest head = request_of(request);
    refusal = refuse(head, state.access());
    const auto reply = [request](const PageReply& given) { reply_to(request, given); };
    if (!refusal && state.waiting.try_push({head, reply})) return;
  } catch (const std::exception& error) {
    refusal = error_reply(400, error.what());
  }
  control::stop_reading(request);
  reply_to(request, refusal ? *refusal : error_reply(503, "too many requests wait; try again"));
}

}  // namespace

struct PageServer::Listener {
  Listener(const PageServerConfig& config, int port)
      : state(std::make_shared<State>(config)),
        port(port),
        http("http://" + config.address + ":" + std::to_string(port)) {
    http.support([state = state](const http_request& request) { handle(*state, request); });
  }

  std::shared_ptr<State> state;
  int port;
  http_listener http;
};

PageServer::PageServer(const PageServerConfig& config) {
  if (!config.token_file.empty() && control::read_access(config.token_file).token.empty())
    throw ConfigError("--token-file: unreadable or empty: " + config.token_file);
  control::start_threads();
  const int port = config.port == 0 ? control::free_port(config.address) : config.port;
  if (port == 0) {
    throw ConfigError("--address: not an IPv4 address of this machine, such as 127.0.0.1: " +
                      config.address);
  }
  listener_ = std::make_unique<Listener>(config, port);
  try {
    listener_->http.open().get();
  } catch (const std::exception& error) {
    throw ConfigError("--port: can't listen on " + config.address + ":" + std::to_string(port) +
                      " (" + error.what() + "); 0 picks any free port");
  }
}

PageServer::~PageServer() {
  // cpprestsdk waits for the reply to each request before it closes the connections.
  while (const auto exchange = next_request())
    exchange->reply(error_reply(503, "ganscale serve is ending"));
  try {
    listener_->http.close().wait();
  } catch (const std::exception&) {
    // It is going away, and so are its connections.
  }
}

std::optional<PageExchange> PageServer::next_request() {
  return listener_->state->waiting.try_pop();
}

int PageServer::port() const { return listener_->port; }

}  // namespace ganscale::cli
