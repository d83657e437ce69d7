#include "cli/serve/page_server.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "support/expect_error.h"
#include "support/loopback_http.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

namespace ganscale::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kToken = "Authorization: Bearer s3cret\r\n";

/// Answers each request with its path and seed until the end of the test.
class PageServerTest : public testing::Test {
 protected:
  PageServerTest() {
    answering_ = std::thread([this] {
      while (!is_over_) {
        const auto exchange = server_.next_request();
        if (!exchange) {
          std::this_thread::yield();
          continue;
        }
        const auto seed = exchange->request.query.find("seed");
        exchange->reply({.media_type = "text/plain",
                         .body = exchange->request.path +
                                 (seed == exchange->request.query.end() ? "" : seed->second)});
      }
    });
  }
  ~PageServerTest() override {
    is_over_ = true;
    answering_.join();
  }

  PageServer server_{{.token = "s3cret"}};
  std::atomic<bool> is_over_ = false;
  std::thread answering_;
};

TEST_F(PageServerTest, PassesPathAndParametersOn) {
  const auto answer = http_request(server_.port(), "GET /image?seed=7&token=s3cret");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "/image7");
  EXPECT_THAT(answer.head, HasSubstr("text/plain"));
  EXPECT_EQ(http_request(server_.port(), "GET /image?seed=%2B1", kToken).body, "/image+1");
}

TEST_F(PageServerTest, LetsBrowsersLoadAndKeepNothing) {
  const auto head = http_request(server_.port(), "GET /", kToken).head;
  EXPECT_THAT(head, HasSubstr("Cache-Control: no-store"));
  EXPECT_THAT(head, HasSubstr("Content-Security-Policy: default-src 'none';"));
  EXPECT_THAT(head, HasSubstr("Referrer-Policy: no-referrer"));
}

TEST_F(PageServerTest, RefusesByTheHead) {
  EXPECT_EQ(http_request(server_.port(), "GET /").status, 401);
  EXPECT_EQ(http_request(server_.port(), "GET /image?token=wrong").status, 401);
  EXPECT_EQ(http_request(server_.port(), "POST /image", kToken, "body").status, 405);
  EXPECT_EQ(http_request(server_.port(), "GET /image?seed=%zz", kToken).status, 400);
  EXPECT_EQ(http_request(server_.port(), "GET /image?seed", kToken).status, 400);
}

TEST_F(PageServerTest, AnswersWhileOthersSendNothingMore) {
  const auto half_open = open_half_requests(server_.port(), 50);
  EXPECT_EQ(http_request(server_.port(), "GET /", kToken).status, 200);
}

TEST_F(PageServerTest, RefusesAPortThatIsTaken) {
  expect_error(ExitCode::kConfig, "--port: can't listen on 127.0.0.1:", [&] {
    PageServer({.port = server_.port(), .token = "s3cret"});
  });
}

TEST(PageServer, RefusesAnAddressOfNoInterface) {
  for (const char* address :
       {"localhost", "::1", "192.0.2.1", ""}) {  // RFC 5737: for documentation
    expect_error(ExitCode::kConfig, "--address: not an IPv4 address of this machine",
                 [&] { PageServer({.address = address, .token = "s3cret"}); });
  }
}

TEST(PageServer, ReadsTheTokenFileForEachRequest) {
  const TemporaryFolder folder;
  const auto file = folder.write("token", "s3cret\n");
  PageServer server({.token_file = file.string()});
  folder.write("token", "n3w\n");
  EXPECT_EQ(http_request(server.port(), "GET /", kToken).status, 401);
}

TEST(PageServer, RefusesATokenFileWithoutAToken) {
  const TemporaryFolder folder;
  for (const auto& file : {folder.write("token", " \n"), folder / "missing"}) {
    expect_error(ExitCode::kConfig, "--token-file: unreadable or empty",
                 [&] { PageServer({.token_file = file.string()}); });
  }
}

TEST(PageServer, RefusesMoreThanCanWaitAndEndsWithThem) {
  std::vector<std::unique_ptr<LoopbackConnection>> clients;
  {
    PageServer server({.token = "s3cret"});
    const auto ask = [&] {
      clients.push_back(std::make_unique<LoopbackConnection>(server.port()));
      clients.back()->write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" +
                            std::string(kToken) + "\r\n");
    };
    for (int i = 0; i < 17; ++i) ask();
    wait_until([&] { return http_request(server.port(), "GET /", kToken).status == 503; });
  }
  // At the end a connection may be closed before its reply is sent.
  for (const auto& client : clients)
    EXPECT_THAT(client->read_to_end(), testing::Not(HasSubstr(" 200 ")));
}

}  // namespace
}  // namespace ganscale::cli
