#include "kube/rest_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/loopback_server.h"

namespace ganscale::controller {
namespace {

using testing::HasSubstr;

constexpr auto kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

ClusterAccess access_to(const LoopbackServer& server) {
  ClusterAccess access;
  access.server = server.url();
  access.token = "secret";
  return access;
}

TEST(RestTransport, SendsTokenAndBodyAndReadsTheAnswer) {
  const LoopbackServer server([](const std::string&, const LoopbackServer::Write& write) {
    write(
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nContent-Length: 2\r\nConnection: "
        "close\r\n\r\nno");
  });
  RestTransport transport(access_to(server), std::chrono::seconds(5));
  const auto answer = transport.send({.method = "PATCH",
                                      .path = "/apis/a?fieldManager=b&force=true",
                                      .body = "{}",
                                      .content_type = "application/apply-patch+yaml"});
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.body, "no");
  EXPECT_EQ(answer.retry_after, std::chrono::seconds(3));
  const std::string request = server.requests().at(0);
  EXPECT_THAT(request, HasSubstr("PATCH /apis/a?fieldManager=b&force=true HTTP/1.1"));
  EXPECT_THAT(request, HasSubstr("Authorization:Bearer secret"));
  EXPECT_THAT(request, HasSubstr("application/apply-patch+yaml"));
  EXPECT_THAT(request, HasSubstr("\r\n\r\n{}"));
}

TEST(RestTransport, StreamsWhatComesByteByByte) {
  const std::string text = "{\"type\":\"ADDED\"}\n{\"type\":\"DELETED\"}\n";
  const LoopbackServer server([&](const std::string&, const LoopbackServer::Write& write) {
    write(kHead);
    for (const char byte : text) write("1\r\n" + std::string(1, byte) + "\r\n");
    write("0\r\n\r\n");
  });
  RestTransport transport(access_to(server), std::chrono::seconds(5));
  std::string seen;
  const auto end = transport.stream({.path = "/w"}, [&](std::string_view part) { seen += part; });
  EXPECT_EQ(end.status, 200);
  EXPECT_EQ(seen, text);
}

TEST(RestTransport, GivesUpAStreamThatIsSilent) {
  std::atomic<bool> over{false};
  const LoopbackServer server([&](const std::string&, const LoopbackServer::Write& write) {
    write(kHead);
    write("2\r\n{}\r\n");
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  RestTransport transport(access_to(server), std::chrono::seconds(1));
  std::string seen;
  EXPECT_THROW(transport.stream({.path = "/w"}, [&](std::string_view part) { seen += part; }),
               TransportError);
  EXPECT_EQ(seen, "{}");
  over = true;
}

/// Expects that a stream which the server does not end is ended by stop().
void expect_end_by_stop(RestTransport& transport, const std::string& path) {
  std::thread stopper;
  EXPECT_THROW(
      transport.stream({.path = path},
                       [&](std::string_view) { stopper = std::thread([&] { transport.stop(); }); }),
      TransportError);
  stopper.join();
}

TEST(RestTransport, EndsAStreamThatIsStopped) {
  std::atomic<bool> over{false};
  const LoopbackServer server([&](const std::string&, const LoopbackServer::Write& write) {
    write(kHead);
    write("2\r\n{}\r\n");
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  RestTransport transport(access_to(server), std::chrono::seconds(60));
  expect_end_by_stop(transport, "/w");
  over = true;
}

TEST(RestTransport, EndsAStreamThatIsStoppedAfterOthersHaveEnded) {
  std::atomic<bool> over{false};
  const LoopbackServer server([&](const std::string& request, const LoopbackServer::Write& write) {
    write("HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
    write("2\r\n{}\r\n");
    while (request.find("/endless") != std::string::npos && !over) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    write("0\r\n\r\n");
  });
  RestTransport transport(access_to(server), std::chrono::seconds(60));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(transport.stream({.path = "/w"}, [](std::string_view) {}).status, 200);
  }
  expect_end_by_stop(transport, "/endless");
  over = true;
  EXPECT_THROW(transport.stream({.path = "/w"}, [](std::string_view) {}), TransportError)
      << "it is stopped for good";
}

TEST(RestTransport, PassesOnWhatTheReaderThrows) {
  const LoopbackServer server([&](const std::string&, const LoopbackServer::Write& write) {
    write(kHead);
    write("2\r\n{}\r\n0\r\n\r\n");
  });
  RestTransport transport(access_to(server), std::chrono::seconds(5));
  EXPECT_THROW(
      transport.stream({.path = "/w"}, [](std::string_view) { throw std::out_of_range("x"); }),
      std::out_of_range);
}

TEST(RestTransport, RefusesCertificatesThatAreNone) {
  for (std::string ClusterAccess::* pem :
       {&ClusterAccess::ca_pem, &ClusterAccess::client_certificate_pem}) {
    ClusterAccess access;
    access.server = "https://127.0.0.1:1";
    access.*pem = "not a certificate";
    expect_error(ExitCode::kConfig, "can't read a certificate or its key for https://127.0.0.1:1",
                 [&] { const RestTransport transport(access, std::chrono::seconds(5)); });
  }
}

TEST(RestTransport, ReportsAServerThatDoesNotAnswer) {
  std::string url;
  {
    const LoopbackServer gone([](const std::string&, const LoopbackServer::Write&) {});
    url = gone.url();
  }
  ClusterAccess access;
  access.server = url;
  RestTransport transport(access, std::chrono::seconds(5));
  EXPECT_THROW(transport.send({.path = "/x"}), TransportError);
}

}  // namespace
}  // namespace ganscale::controller
