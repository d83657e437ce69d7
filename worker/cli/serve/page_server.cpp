#include "cli/serve/page_server.h"

#include <system_error>

#include "base/error.h"
#include "cli/serve/parse_query.h"
#include "control/bounded_queue.h"
#include "http/server.h"

namespace ganscale::cli {
namespace {

constexpr std::size_t kWaitingRequests = 16;
// Nothing but what the page itself brings along is loaded or run, and no other page shows it.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Throws std::exception if the address has an invalid escape.
PageRequest request_of(const http::Head& head) {
  return {.method = head.method,
          .path = head.path,
          .authorization = head.authorization,
          .query = parse_query(head.query)};
}

http::Reply reply_of(const PageReply& reply) {
  http::Reply result{.status = reply.status,
                     .media_type = reply.media_type,
                     .body = reply.body,
                     .headers = reply.headers};
  result.headers.insert(result.headers.end(), {{"Cache-Control", "no-store"},
                                               {"Content-Security-Policy", kContentPolicy},
                                               {"Referrer-Policy", "no-referrer"},
                                               {"X-Content-Type-Options", "nosniff"}});
  return result;
}

}  // namespace

/// What the caller of next_request() and the handlers, on the server's thread, share.
struct PageServer::Listener {
  explicit Listener(const PageServerConfig& config)
      : config(config),
        server(config.address, config.port,
               {.refuse = [this](const http::Head& head) { return refuse_by(head); },
                .answer = [this](const http::Head& head, const std::string& /*body*/,
                                 const http::Handlers::Send& send) { queue(head, send); }},
               http::Limits{}, {.certificate = config.tls_certificate, .key = config.tls_key}) {}

  /// The file is read every time, so a mounted Secret can be rotated.
  control::Access access() const {
    if (config.token_file.empty()) return {.needs_token = true, .token = config.token};
    return control::read_access(config.token_file);
  }

  std::optional<http::Reply> refuse_by(const http::Head& head) const {
    try {
      const auto refusal = refuse(request_of(head), access());
      return refusal ? std::optional(reply_of(*refusal)) : std::nullopt;
    } catch (const std::exception& error) {
      return reply_of(error_reply(400, error.what()));
    }
  }

  void queue(const http::Head& head, const http::Handlers::Send& send) {
    const auto reply = [send](const PageReply& given) { send(reply_of(given)); };
    if (!waiting.try_push({request_of(head), reply}))
      reply(error_reply(503, "too many requests wait; try again"));
  }

  const PageServerConfig config;
  BoundedQueue<PageExchange> waiting{kWaitingRequests};
  http::Server server;  // destroyed first: its thread uses what is above
};

PageServer::PageServer(const PageServerConfig& config) {
  if (!config.token_file.empty() && control::read_access(config.token_file).token.empty())
    throw ConfigError("--token-file: unreadable or empty: " + config.token_file);
  try {
    listener_ = std::make_unique<Listener>(config);
  } catch (const http::TlsError& error) {
    throw ConfigError(std::string("--tls-certificate, --tls-key: ") + error.what());
  } catch (const std::system_error& error) {
    throw ConfigError(
        http::listen_error(error, config.address, config.port, {"--address", "--port"}));
  }
}

PageServer::~PageServer() {
  while (const auto exchange = next_request())
    exchange->reply(error_reply(503, "ganscale serve is ending"));
}

std::optional<PageExchange> PageServer::next_request() { return listener_->waiting.try_pop(); }

int PageServer::port() const { return listener_->server.port(); }

}  // namespace ganscale::cli
