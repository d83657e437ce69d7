#include "http/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <limits>

namespace ganscale::http {
namespace {

namespace beast = boost::beast;

// A client that is still sending when its connection is closed would lose the reply.
constexpr std::chrono::seconds kDiscardFor{2};
constexpr unsigned kHttp10 = 10;
constexpr unsigned kHttp11 = 11;

Reply error_reply(beast::http::status status, const std::string& why) {
  return {.status = static_cast<int>(status), .media_type = "text/plain", .body = why + "\n"};
}

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

Head head_of(const beast::http::request_parser<beast::http::string_body>& parser,
             const boost::asio::ip::tcp::socket& socket) {
  const auto& message = parser.get();
  const std::string target = text_of(message.target());
  const std::size_t end = std::min(target.find('?'), target.size());
  Head head{.method = text_of(message.method_string()),
            .path = target.substr(0, end),
            .query = end < target.size() ? target.substr(end + 1) : "",
            .authorization = text_of(message[beast::http::field::authorization]),
            .content_type = text_of(message[beast::http::field::content_type]),
            .content_length_bytes = {},
            .peer = {}};
  if (const auto length = parser.content_length()) head.content_length_bytes = *length;
  beast::error_code ignored;  // the client has gone
  const auto endpoint = socket.remote_endpoint(ignored);
  if (!ignored) head.peer = endpoint.address().to_string();
  return head;
}

bool is_about_http(const beast::error_code& error) {
  return error.category() == make_error_code(beast::http::error::bad_method).category() &&
         error != beast::http::error::end_of_stream && error != beast::http::error::partial_message;
}

/// Sends a reply from any thread.
struct Sender {
  std::shared_ptr<boost::asio::io_context> context;  // destroyed after the connection, whose it is
  std::shared_ptr<Connection> connection;

  void operator()(const Reply& reply) const {
    boost::asio::post(*context, [connection = connection, reply] {
      connection->write(reply, /*then_close=*/reply.status >= 400);
    });
  }
};

}  // namespace

Connection::Connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<Service> service,
                       std::shared_ptr<Tls::Context> tls)
    : service_(std::move(service)), stream_(std::move(socket)), tls_context_(std::move(tls)) {
  if (tls_context_) tls_.emplace(stream_, *tls_context_);
}

template <class Use>
void Connection::on_stream(Use use) {
  if (tls_) {
    use(*tls_);
  } else {
    use(stream_);
  }
}

void Connection::start() {
  if (!tls_) return read();
  waits_since_ = Clock::now();
  stream_.expires_after(service_->limits.transfer);
  tls_->async_handshake(TlsStream::server, [self = shared_from_this()](Error error) {
    if (error) return self->refuse_handshake(error);
    self->read();
  });
}

void Connection::refuse_handshake(Error error) {
  if (ERR_GET_REASON(static_cast<unsigned long>(error.value())) != SSL_R_HTTP_REQUEST) return;
  static constexpr std::string_view kReply =
      "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nthis port takes HTTPS, not "
      "HTTP\n";
  boost::asio::async_write(stream_, boost::asio::buffer(kReply),
                           [self = shared_from_this()](Error error, std::size_t) {
                             if (!error) self->end();
                           });
}

void Connection::read() {
  waits_since_ = Clock::now();
  parser_.emplace();
  parser_->header_limit(service_->limits.head_bytes);
  // Any, until it is known whether its head is reason for another answer.
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
  stream_.expires_after(service_->limits.transfer);
  on_stream([this](auto& stream) {
    async_read_header(
        stream, buffer_, *parser_,
        [self = shared_from_this()](Error error, std::size_t) { self->on_head(error); });
  });
}

void Connection::on_head(Error error) {
  if (error) return refuse_unreadable(error);
  head_ = head_of(*parser_, stream_.socket());
  try {
    if (const auto refusal = service_->handlers.refuse(head_))
      return write(*refusal, /*then_close=*/true);
  } catch (const std::exception& failure) {
    return write(error_reply(beast::http::status::internal_server_error, failure.what()),
                 /*then_close=*/true);
  }
  if (head_.content_length_bytes.value_or(0) > service_->limits.body_bytes)
    return refuse_unreadable(beast::http::error::body_limit);
  parser_->body_limit(service_->limits.body_bytes);
  on_stream([this](auto& stream) {
    async_read(stream, buffer_, *parser_,
               [self = shared_from_this()](Error error, std::size_t) { self->on_body(error); });
  });
}

void Connection::on_body(Error error) {
  if (error) return refuse_unreadable(error);
  waits_since_.reset();
  answer();
}

void Connection::refuse_unreadable(Error error) {
  using beast::http::status;
  if (error == beast::http::error::header_limit) {
    write(error_reply(status::request_header_fields_too_large, "the head is too long"), true);
  } else if (error == beast::http::error::body_limit) {
    write(error_reply(status::payload_too_large, "the body is too long"), true);
  } else if (is_about_http(error)) {
    write(error_reply(status::bad_request, error.message()), true);
  }  // otherwise the client has gone, or its time is over
}

void Connection::answer() {
  try {
    service_->handlers.answer(head_, parser_->get().body(),
                              Sender{service_->context.lock(), shared_from_this()});
  } catch (const std::exception& failure) {
    write(error_reply(beast::http::status::internal_server_error, failure.what()), true);
  }
}

void Connection::write(const Reply& reply, bool then_close) {
  waits_since_.reset();
  response_ = {};
  response_.version(parser_->get().version() == kHttp10 ? kHttp10 : kHttp11);
  response_.result(static_cast<unsigned>(reply.status));
  if (!reply.media_type.empty()) response_.set(beast::http::field::content_type, reply.media_type);
  for (const auto& [name, value] : reply.headers) response_.insert(name, value);
  response_.keep_alive(!then_close && !service_->is_closing && parser_->keep_alive());
  response_.content_length(reply.body.size());
  if (head_.method != "HEAD") response_.body() = reply.body;
  serializer_.emplace(response_);
  write_part();
}

void Connection::write_part() {
  stream_.expires_after(service_->limits.transfer);
  on_stream([this](auto& stream) {
    async_write_some(stream, *serializer_, [self = shared_from_this()](Error error, std::size_t) {
      self->on_written(error);
    });
  });
}

void Connection::on_written(Error error) {
  if (error) return;
  if (!serializer_->is_done()) {
    // A client that reads slowly may be closed for a new one.
    if (!waits_since_) waits_since_ = Clock::now();
    return write_part();
  }
  if (response_.keep_alive() && !service_->is_closing) return read();
  if (!tls_) return end();
  waits_since_ = Clock::now();
  stream_.expires_after(kDiscardFor);
  tls_->async_shutdown([self = shared_from_this()](Error) { self->end(); });
}

void Connection::end() {
  Error error;
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, error);
  if (error || service_->is_closing) return;
  waits_since_ = Clock::now();
  stream_.expires_after(kDiscardFor);
  discard();
}

void Connection::discard() {
  stream_.async_read_some(boost::asio::buffer(discarded_),
                          [self = shared_from_this()](Error error, std::size_t) {
                            if (!error) self->discard();
                          });
}

void Connection::close_unless_answering() {
  if (waits_since_) stream_.close();
}

}  // namespace ganscale::http
