#include <boost/asio/buffer.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "cli/serve/image_request.h"
#include "cli/serve/page_request.h"
#include "cli/serve/parse_query.h"
#include "control/http_messages.h"
#include "fuzz/parsers.h"
#include "http/connection.h"
#include "wire/command.h"

namespace ganscale::fuzz {
namespace {

constexpr const char* kToken = "token";

std::optional<http::Reply> refuse_by_token(const http::Head& head) {
  const auto refusal =
      control::refuse(control::request_of(head), {.needs_token = true, .token = kToken});
  return refusal ? std::optional(control::reply_of(*refusal)) : std::nullopt;
}

void answer_as_control_port(const http::Head& head, const std::string& body,
                            const http::Handlers::Send& send) {
  check(body.size() <= control::kLargestBodyBytes, "a body is larger than its limit");
  send(control::reply_of(control::answer(control::request_of(head), body, {})));
}

/// What the control port has for its clients, but longer than an input may take.
std::shared_ptr<http::Service> control_port(
    const std::shared_ptr<boost::asio::io_context>& context) {
  return std::make_shared<http::Service>(http::Service{
      .handlers = {.refuse = refuse_by_token, .answer = answer_as_control_port},
      .limits = {.transfer = std::chrono::minutes(1), .body_bytes = control::kLargestBodyBytes},
      .context = context});
}

/// Returns all replies to a client that sends the input, and no more, through a pair of sockets.
std::string replies_to(Bytes input) {
  using boost::asio::ip::tcp;
  constexpr std::size_t kSocketBytes = 1 << 16;  // taken without a reader
  const auto context = std::make_shared<boost::asio::io_context>(1);
  boost::asio::local::stream_protocol::socket client(*context);
  boost::asio::local::stream_protocol::socket server(*context);
  boost::asio::local::connect_pair(client, server);
  boost::asio::write(client,
                     boost::asio::buffer(input.data(), std::min(input.size(), kSocketBytes)));
  client.shutdown(boost::asio::socket_base::shutdown_send);
  std::make_shared<http::Connection>(tcp::socket(*context, tcp::v4(), server.release()),
                                     control_port(context), nullptr)
      ->start();
  std::string replies;
  boost::asio::async_read(client, boost::asio::dynamic_buffer(replies),
                          [](const boost::system::error_code&, std::size_t) {});
  context->run();
  return replies;
}

}  // namespace

void parse_command(Bytes input) {
  if (const auto command = wire::parse_command(text_of(input)))
    check(wire::parse_command(wire::to_json(*command).dump()) == command, "a command changes");
}

void parse_http_request(Bytes input) {
  const std::string replies = replies_to(input);
  check(replies.empty() || replies.starts_with("HTTP/1."), "a reply is not one of HTTP");
  check(replies.find("HTTP/1.1 500 ") == std::string::npos &&
            replies.find("HTTP/1.0 500 ") == std::string::npos,
        "a handler has thrown");
}

/// The query of a request for the page of a run.
void parse_page_request(Bytes input) {
  cli::PageRequest request{.method = "GET", .path = "/image", .authorization = "", .query = {}};
  try {
    request.query = cli::parse_query(std::string(text_of(input)));
  } catch (const std::exception& refusal) {
    cli::error_reply(400, refusal.what());
    return;
  }
  cli::refuse(request, {.needs_token = true, .token = kToken});
  const cli::Choices choices{.truncation = cli::Limits{.least = -1, .most = 1}, .labels = {3, 7}};
  take_or_refuse([&] {
    const auto image = cli::parse_image_request(request.query, choices);
    check(image.seed >= 0 && image.seed <= cli::kHighestSeed, "a seed is out of range");
    check(image.label == 3 || image.label == 7, "a label is out of range");
    check(image.t >= 0 && image.t <= 1, "a share is out of range");
  });
}

}  // namespace ganscale::fuzz
