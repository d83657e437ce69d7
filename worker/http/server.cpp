#include "http/server.h"

#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <system_error>
#include <thread>

#include "http/connection.h"

namespace ganscale::http {
namespace {

using boost::asio::ip::tcp;

constexpr std::chrono::seconds kFarewell{1};
// Accepting fails while the process has no file descriptor left.
constexpr std::chrono::milliseconds kRetryAfter{100};

tcp::acceptor listen_on(boost::asio::io_context& context, const std::string& address, int port) {
  try {
    return {context, tcp::endpoint(boost::asio::ip::make_address_v4(address),
                                   static_cast<std::uint16_t>(port))};
  } catch (const boost::system::system_error& error) {
    throw std::system_error(error.code().value(), std::generic_category(), address);
  }
}

}  // namespace

struct Server::Listener {
  Listener(const std::string& address, int port, Handlers handlers, const Limits& limits,
           const TlsFiles& files)
      : tls(files.certificate.empty() ? nullptr : std::make_unique<Tls>(files)),
        context(std::make_shared<boost::asio::io_context>(1)),
        service(std::make_shared<Service>(Service{std::move(handlers), limits, context})),
        acceptor(listen_on(*context, address, port)),
        retry(*context),
        port(acceptor.local_endpoint().port()) {
    accept();
    thread = std::thread([this] { run(); });
  }

  ~Listener() {
    boost::asio::post(*context, [this] { close(); });
    thread.join();
  }

  void run() {
    context->run();
    context->restart();
    context->run_for(kFarewell);
  }

  void accept() {
    acceptor.async_accept([this](boost::system::error_code error, tcp::socket socket) {
      if (service->is_closing) return;
      if (error) return accept_later();
      if (make_room()) {
        const auto connection = std::make_shared<Connection>(std::move(socket), service,
                                                             tls ? tls->context() : nullptr);
        connections.push_back(connection);
        connection->start();
      }
      accept();
    });
  }

  void accept_later() {
    retry.expires_after(kRetryAfter);
    retry.async_wait([this](boost::system::error_code error) {
      if (!error) accept();
    });
  }

  /// Returns whether there is room for one more connection.
  bool make_room() {
    std::erase_if(connections, [](const auto& connection) { return connection.expired(); });
    if (connections.size() < service->limits.connections) return true;
    std::shared_ptr<Connection> slowest;
    for (const auto& weak : connections) {
      const auto connection = weak.lock();
      if (!connection || !connection->waits_since()) continue;
      if (!slowest || connection->waits_since() < slowest->waits_since()) slowest = connection;
    }
    if (!slowest) return false;
    slowest->close_unless_answering();
    return true;
  }

  void close() {
    service->is_closing = true;
    acceptor.close();
    retry.cancel();
    for (const auto& weak : connections)
      if (const auto connection = weak.lock()) connection->close_unless_answering();
    context->stop();
  }

  std::unique_ptr<Tls> tls;  // null: plain HTTP
  std::shared_ptr<boost::asio::io_context> context;
  std::shared_ptr<Service> service;
  tcp::acceptor acceptor;
  boost::asio::steady_timer retry;
  std::vector<std::weak_ptr<Connection>> connections;
  int port;
  std::thread thread;
};

Server::Server(const std::string& address, int port, Handlers handlers, const Limits& limits,
               const TlsFiles& tls)
    : listener_(std::make_unique<Listener>(address, port, std::move(handlers), limits, tls)) {}

Server::~Server() = default;

int Server::port() const { return listener_->port; }

std::optional<Reply> refuse_all_but_get(const Head& head) {
  if (head.method == "GET") return std::nullopt;
  return Reply{.status = 405, .media_type = "", .body = "", .headers = {{"Allow", "GET"}}};
}

std::string listen_error(const std::system_error& error, const std::string& address, int port,
                         const ListenSettings& settings) {
  const std::string reason = " (" + error.code().message() + ")";
  const bool is_port_refused =
      error.code() == std::errc::address_in_use || error.code() == std::errc::permission_denied;
  if (!is_port_refused) {
    return settings.address +
           ": not an IPv4 address of this machine, such as 127.0.0.1: " + address + reason;
  }
  return settings.port + ": can't listen on " + address + ":" + std::to_string(port) + reason +
         "; is another program using it? 0 picks any free port";
}

}  // namespace ganscale::http
