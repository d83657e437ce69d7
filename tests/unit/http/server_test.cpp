#include "http/server.h"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "support/loopback_http.h"
#include "support/wait_until.h"

namespace ganscale::http {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// Answers with method, path, query and body of a request; refuses the path /refused.
Handlers echo() {
  return {.refuse = [](const Head& head) -> std::optional<Reply> {
            if (head.path != "/refused") return std::nullopt;
            return Reply{.status = 401, .media_type = "text/plain", .body = "no"};
          },
          .answer =
              [](const Head& head, const std::string& body, const Handlers::Send& send) {
                send({.media_type = "text/plain",
                      .body = head.method + " " + head.path + " " + head.query + " " + body,
                      .headers = {{"X-Peer", head.peer}}});
              }};
}

Server echo_server(const Limits& limits = {}) { return {"127.0.0.1", 0, echo(), limits}; }

/// Keeps the requests that wait for their reply.
class Waiting {
 public:
  Handlers handlers() {
    return {.refuse = [](const Head&) { return std::nullopt; },
            .answer =
                [this](const Head&, const std::string&, const Handlers::Send& send) {
                  const std::scoped_lock lock(mutex_);
                  send_ = send;
                  arrived_.notify_all();
                }};
  }
  Handlers::Send take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return send_ != nullptr; });
    return std::exchange(send_, nullptr);
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  Handlers::Send send_;
};

TEST(HttpServer, PassesTheRequestOnAndSendsTheReply) {
  const Server server = echo_server();
  const auto answer = http_request(server.port(), "POST /some/path?with=query", "", "body");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "POST /some/path with=query body");
  EXPECT_THAT(answer.head, HasSubstr("Content-Type: text/plain"));
  EXPECT_THAT(answer.head, HasSubstr("X-Peer: 127.0.0.1"));
}

TEST(HttpServer, AnswersOneRequestAfterTheOtherOnAConnection) {
  const Server server = echo_server();
  LoopbackConnection connection(server.port());
  connection.write("GET /first HTTP/1.1\r\nHost: x\r\n\r\n");
  connection.write("GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answers = connection.read_to_end();
  EXPECT_THAT(answers, HasSubstr("GET /first"));
  EXPECT_THAT(answers, HasSubstr("GET /last"));
}

TEST(HttpServer, SendsNoBodyAfterHead) {
  const Server server = echo_server();
  const auto answer = http_request(server.port(), "HEAD /");
  EXPECT_THAT(answer.head, HasSubstr("Content-Length: 8"));  // of "HEAD /  "
  EXPECT_THAT(answer.body, IsEmpty());
}

TEST(HttpServer, AnswersARefusedClientThatIsStillSending) {
  const Server server = echo_server();
  LoopbackConnection connection(server.port());
  connection.write("POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n");
  const std::string part(1 << 16, 'x');
  for (int sent = 0; sent < 16; ++sent) connection.write(part);
  EXPECT_THAT(connection.read_to_end(), HasSubstr("401 Unauthorized"));
}

TEST(HttpServer, RefusesALongHead) {
  const Server server = echo_server({.head_bytes = 1000});
  const auto with_header = [&](std::size_t bytes) {
    return http_request(server.port(), "GET /", "X-Long: " + std::string(bytes, 'x') + "\r\n");
  };
  EXPECT_EQ(with_header(800).status, 200);
  EXPECT_EQ(with_header(1000).status, 431);
}

TEST(HttpServer, RefusesALongBody) {
  const Server server = echo_server({.body_bytes = 10});
  const auto with_body = [&](std::size_t bytes) {
    return http_request(server.port(), "POST /", "", std::string(bytes, 'x')).status;
  };
  EXPECT_EQ(with_body(10), 200);
  EXPECT_EQ(with_body(11), 413);
}

TEST(HttpServer, RefusesALongBodyInChunks) {
  const Server server = echo_server({.body_bytes = 10});
  const auto in_chunks = [&](int chunks) {
    LoopbackConnection connection(server.port());
    connection.write(
        "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < chunks; ++i) connection.write("5\r\nxxxxx\r\n");
    connection.write("0\r\n\r\n");
    return connection.read_to_end();
  };
  EXPECT_THAT(in_chunks(2), HasSubstr("200 OK"));
  EXPECT_THAT(in_chunks(3), HasSubstr("413 Payload Too Large"));
}

TEST(HttpServer, RefusesWhatIsNotHttp) {
  const Server server = echo_server();
  for (const char* request :
       {"\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"}) {
    LoopbackConnection connection(server.port());
    connection.write(request);
    EXPECT_THAT(connection.read_to_end(), HasSubstr("400 Bad Request")) << request;
  }
}

TEST(HttpServer, EndsRequestsThatTakeTooLong) {
  const Server server = echo_server({.transfer = milliseconds(200)});
  for (const char* part : {"", "GET / HT", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"}) {
    LoopbackConnection connection(server.port());
    connection.write(part);
    EXPECT_THAT(connection.read_to_end(), IsEmpty()) << part;
  }
}

TEST(HttpServer, EndsRequestsThatComeByteByByte) {
  const Server server = echo_server({.transfer = milliseconds(200)});
  LoopbackConnection connection(server.port());
  connection.write("GET / HTTP/1.1\r\nX-Slow: ");
  bool is_open = true;
  for (int sent = 0; is_open && sent < 1000; ++sent) {
    is_open = connection.write("x");
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_FALSE(is_open);
}

TEST(HttpServer, EndsConnectionsWhoseClientsDoNotTakeTheirReply) {
  std::atomic<bool> is_asked = false;
  Handlers handlers = echo();
  handlers.answer = [&](const Head& head, const std::string&, const Handlers::Send& send) {
    const bool is_large = head.path == "/large";  // than the system's buffers
    send({.media_type = "text/plain", .body = std::string(is_large ? 32 << 20 : 1, 'x')});
    is_asked = true;
  };
  const Server server("127.0.0.1", 0, handlers, {.transfer = milliseconds(200), .connections = 1});
  LoopbackConnection lazy(server.port());
  lazy.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  wait_until([&] { return is_asked.load(); });
  wait_until([&] {  // there is room for another client
    LoopbackConnection next(server.port());
    next.write("GET / HTTP/1.0\r\n\r\n");
    return next.read_to_end().find("200 OK") != std::string::npos;
  });
}

TEST(HttpServer, GivesEachPartOfAReplyItsTime) {
  constexpr std::size_t kBodyBytes = 64 << 20;  // more than the system's buffers
  Handlers handlers = echo();
  handlers.answer = [](const Head&, const std::string&, const Handlers::Send& send) {
    send({.media_type = "text/plain", .body = std::string(kBodyBytes, 'x')});
  };
  const Server server("127.0.0.1", 0, handlers, {.transfer = milliseconds(500)});
  LoopbackConnection slow(server.port());
  slow.write("GET / HTTP/1.0\r\n\r\n");
  constexpr std::size_t kPartBytes = 1 << 20;
  std::size_t read = 0;
  for (std::size_t part = kPartBytes; part == kPartBytes; read += part) {
    std::this_thread::sleep_for(milliseconds(20));
    part = slow.read_up_to(kPartBytes);
  }
  EXPECT_GT(read, kBodyBytes);
}

TEST(HttpServer, ClosesTheLongestWaitingConnectionForANewClient) {
  const Server server = echo_server({.connections = 3});
  const auto slow = open_half_requests(server.port(), 3);
  EXPECT_EQ(http_request(server.port(), "GET /").status, 200);
  EXPECT_THAT(slow.front()->read_to_end(), IsEmpty());
  slow.back()->write(" HTTP/1.0\r\n\r\n");
  EXPECT_THAT(slow.back()->read_to_end(), HasSubstr("200 OK"));
}

TEST(HttpServer, RepliesFromAnyThread) {
  Waiting waiting;
  const Server server("127.0.0.1", 0, waiting.handlers());
  std::thread replying([&] { waiting.take()({.media_type = "text/plain", .body = "later"}); });
  EXPECT_EQ(http_request(server.port(), "GET /").body, "later");
  replying.join();
}

TEST(HttpServer, GivesAReplyAsMuchTimeAsItTakes) {
  Waiting waiting;
  const Server server("127.0.0.1", 0, waiting.handlers(), {.transfer = milliseconds(100)});
  std::thread replying([&] {
    const Handlers::Send send = waiting.take();
    std::this_thread::sleep_for(milliseconds(300));
    send({.media_type = "text/plain", .body = "at last"});
  });
  EXPECT_EQ(http_request(server.port(), "GET /").body, "at last");
  replying.join();
}

TEST(HttpServer, TakesRepliesThatComeAfterItsEnd) {
  Waiting waiting;
  Handlers::Send send;
  {
    const Server server("127.0.0.1", 0, waiting.handlers());
    LoopbackConnection connection(server.port());
    connection.write(kGet);
    send = waiting.take();
  }
  send({.media_type = "text/plain", .body = "too late"});
}

TEST(HttpServer, SendsWhatWasRepliedBeforeItsEnd) {
  Waiting waiting;
  std::optional<Server> server(std::in_place, "127.0.0.1", 0, waiting.handlers());
  LoopbackConnection connection(server->port());
  connection.write(kGet);
  waiting.take()({.media_type = "text/plain", .body = "in time"});
  server.reset();
  EXPECT_THAT(connection.read_to_end(), HasSubstr("in time"));
}

TEST(HttpServer, SurvivesHandlersThatThrow) {
  const auto fail = [] { throw std::runtime_error("out of order"); };
  Handlers handlers = echo();
  handlers.refuse = [&](const Head& head) -> std::optional<Reply> {
    if (head.path == "/head") fail();
    return std::nullopt;
  };
  handlers.answer = [&](const Head&, const std::string&, const Handlers::Send&) { fail(); };
  const Server server("127.0.0.1", 0, handlers);
  for (const char* request : {"GET /head", "GET /body"}) {
    const auto answer = http_request(server.port(), request);
    EXPECT_EQ(answer.status, 500);
    EXPECT_THAT(answer.body, HasSubstr("out of order"));
  }
}

std::error_code failure_to_listen(const std::string& address, int port) {
  try {
    const Server server(address, port, echo());
  } catch (const std::system_error& error) {
    return error.code();
  }
  return {};
}

TEST(HttpServer, SaysWhyItCannotListen) {
  const Server server = echo_server();
  EXPECT_EQ(failure_to_listen("127.0.0.1", server.port()), std::errc::address_in_use);
  EXPECT_EQ(failure_to_listen("192.0.2.1", 0), std::errc::address_not_available);  // RFC 5737
  for (const char* address : {"", "localhost", "::1", "127.0.0.1:80"})
    EXPECT_EQ(failure_to_listen(address, 0), std::errc::invalid_argument) << address;
}

}  // namespace
}  // namespace ganscale::http
