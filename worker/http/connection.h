#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>

#include "http/server.h"

namespace ganscale::http {

/// What all connections of a server see, on the thread that runs `context`. Connections outlive
/// their server if a reply to them is still due; hence they share it.
struct Service {
  Handlers handlers;
  Limits limits;
  std::weak_ptr<boost::asio::io_context> context;
  bool is_closing = false;
};

/// A client of a server, from request to request. It lives while it waits for its client, writes, or
/// a reply to it is still possible, but no longer than its context. All but the destructor runs on
/// the thread of the context.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  /// tls: null for plain HTTP.
  Connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<Service> service,
             std::shared_ptr<Tls::Context> tls);

  /// Begins to read requests, after the handshake of TLS.
  void start();
  /// Replies to the request that was read.
  void write(const Reply& reply, bool then_close);
  /// Closes the connection if it waits for its client: for the rest of a request, or to take more
  /// of a reply.
  void close_unless_answering();
  /// Returns since when it has waited for its client; nothing while a request is answered.
  std::optional<Clock::time_point> waits_since() const { return waits_since_; }

 private:
  using Error = boost::beast::error_code;
  using TlsStream = boost::asio::ssl::stream<boost::beast::tcp_stream&>;

  /// Calls use(stream) with what carries HTTP.
  template <class Use>
  void on_stream(Use use);
  void refuse_handshake(Error error);
  void read();
  void on_head(Error error);
  void on_body(Error error);
  /// Sends as much of the reply as the client has room for; the next part has its own time.
  void write_part();
  void on_written(Error error);
  void refuse_unreadable(Error error);
  void answer();
  void end();
  void discard();

  std::shared_ptr<Service> service_;
  boost::beast::tcp_stream stream_;
  std::shared_ptr<Tls::Context> tls_context_;
  std::optional<TlsStream> tls_;  ///< on stream_; nothing for plain HTTP
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  boost::beast::http::response<boost::beast::http::string_body> response_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::string_body>>
      serializer_;  ///< of response_
  Head head_;
  std::optional<Clock::time_point> waits_since_;
  std::array<char, 4096> discarded_{};
};

}  // namespace ganscale::http
