#include "http/tls.h"

#include <gmock/gmock.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <filesystem>

#include "http/server.h"
#include "support/loopback_http.h"
#include "support/temporary_folder.h"
#include "unit/http/own_certificate.h"

namespace ganscale::http {
namespace {

namespace asio = boost::asio;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLastRequest = "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

Handlers echo_path() {
  return {.refuse = [](const Head&) { return std::nullopt; },
          .answer =
              [](const Head& head, const std::string& body, const Handlers::Send& send) {
                send({.media_type = "text/plain", .body = head.path + " " + body});
              }};
}

Server open_server(const OwnCertificate& own, const Limits& limits = {}) {
  return {"127.0.0.1", 0, echo_path(), limits, {.certificate = own.certificate, .key = own.key}};
}

/// A client that takes any certificate.
class TlsClient {
 public:
  explicit TlsClient(int port, int newest_version = TLS1_3_VERSION) : stream_(io_, context_) {
    SSL_set_max_proto_version(stream_.native_handle(), newest_version);
    stream_.next_layer().connect(
        {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)});
    stream_.handshake(asio::ssl::stream_base::client);
  }

  void write(const std::string& bytes) { asio::write(stream_, asio::buffer(bytes)); }

  /// Returns everything up to the end, which the server has to announce.
  std::string read_to_end() {
    std::string text;
    boost::system::error_code end;
    asio::read(stream_, asio::dynamic_buffer(text), end);
    EXPECT_EQ(end, asio::error::make_error_code(asio::error::eof)) << end.message();
    return text;
  }

  std::string name_of_server() {
    X509* certificate = SSL_get1_peer_certificate(stream_.native_handle());
    std::array<char, 100> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                              name.size());
    X509_free(certificate);
    return name.data();
  }

 private:
  asio::io_context io_;
  asio::ssl::context context_{asio::ssl::context::tls_client};
  asio::ssl::stream<asio::ip::tcp::socket> stream_;
};

std::string failure_to_open(const TlsFiles& files) {
  try {
    const Server server("127.0.0.1", 0, echo_path(), {}, files);
  } catch (const TlsError& error) {
    return error.what();
  }
  return "";
}

TEST(HttpsServer, AnswersOneRequestAfterTheOtherOnAConnection) {
  const TemporaryFolder folder;
  const Server server = open_server({folder.path(), "here"});
  TlsClient client(server.port());
  client.write("POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
  client.write(kLastRequest);
  const std::string answers = client.read_to_end();
  EXPECT_THAT(answers, HasSubstr("/first body"));
  EXPECT_THAT(answers, HasSubstr("/x "));
}

TEST(HttpsServer, RefusesOldVersions) {
  const TemporaryFolder folder;
  const Server server = open_server({folder.path(), "here"});
  EXPECT_NO_THROW(TlsClient(server.port(), TLS1_2_VERSION));
  EXPECT_ANY_THROW(TlsClient(server.port(), TLS1_1_VERSION));
}

TEST(HttpsServer, TellsAClientThatSpeaksHttp) {
  const TemporaryFolder folder;
  const Server server = open_server({folder.path(), "here"});
  const auto answer = http_request(server.port(), "GET /");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("takes HTTPS"));
}

TEST(HttpsServer, EndsHandshakesThatTakeTooLong) {
  const TemporaryFolder folder;
  const Server server =
      open_server({folder.path(), "here"}, {.transfer = std::chrono::milliseconds(200)});
  for (const char* part : {"", "\x16\x03\x01"}) {
    LoopbackConnection connection(server.port());
    connection.write(part);
    EXPECT_THAT(connection.read_to_end(), IsEmpty());
  }
}

TEST(HttpsServer, ClosesTheLongestWaitingConnectionForANewClient) {
  const TemporaryFolder folder;
  const Server server = open_server({folder.path(), "here"}, {.connections = 2});
  const LoopbackConnection first(server.port());
  LoopbackConnection second(server.port());
  TlsClient client(server.port());
  client.write(kLastRequest);
  EXPECT_THAT(client.read_to_end(), HasSubstr("200 OK"));
}

TEST(HttpsServer, TakesACertificateThatReplacesItsOwn) {
  const TemporaryFolder folder;
  const OwnCertificate own(folder.path(), "first");
  const Server server = open_server(own);
  EXPECT_EQ(TlsClient(server.port()).name_of_server(), "first");
  const OwnCertificate next(folder.path(), "second");
  std::filesystem::rename(next.key, own.key);  // half replaced: it does not belong to the first
  EXPECT_EQ(TlsClient(server.port()).name_of_server(), "first");
  std::filesystem::rename(next.certificate, own.certificate);
  EXPECT_EQ(TlsClient(server.port()).name_of_server(), "second");
}

TEST(HttpsServer, SaysWhichFileItCannotUse) {
  const TemporaryFolder folder;
  const OwnCertificate own(folder.path(), "own");
  const OwnCertificate other(folder.path(), "other");
  const std::string garbage = folder.write("garbage.pem", "no PEM");
  EXPECT_THAT(failure_to_open({.certificate = folder / "absent.crt", .key = own.key}),
              HasSubstr("absent.crt"));
  EXPECT_THAT(failure_to_open({.certificate = garbage, .key = own.key}), HasSubstr("garbage.pem"));
  EXPECT_THAT(failure_to_open({.certificate = own.certificate, .key = garbage}),
              HasSubstr("can't use the key"));
  EXPECT_THAT(failure_to_open({.certificate = own.certificate, .key = other.key}),
              HasSubstr("values mismatch"));
}

}  // namespace
}  // namespace ganscale::http
