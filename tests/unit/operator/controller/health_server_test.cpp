#include "controller/health_server.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/expect_error.h"
#include "support/free_port.h"
#include "support/loopback_http.h"
#include "support/loopback_server.h"

namespace ganscale::controller {
namespace {

std::string status_line(int port, const std::string& path) {
  LoopbackConnection connection(port);
  connection.write("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answer = connection.read_to_end();
  return answer.substr(0, answer.find('\r'));
}

TEST(HealthServer, IsReadyWhenItsOwnerSaysSo) {
  const int port = free_port();
  std::atomic<bool> ready{false};
  const HealthServer server("127.0.0.1:" + std::to_string(port),
                            {.ready = [&] { return ready.load(); }});
  EXPECT_EQ(status_line(port, "/healthz"), "HTTP/1.1 200 OK");
  EXPECT_EQ(status_line(port, "/readyz"), "HTTP/1.1 503 Service Unavailable");
  ready = true;
  EXPECT_EQ(status_line(port, "/readyz"), "HTTP/1.1 200 OK");
  EXPECT_EQ(status_line(port, "/else"), "HTTP/1.1 404 Not Found");
}

TEST(HealthServer, IsNotHealthyWhenItsOwnerIsDead) {
  const int port = free_port();
  std::atomic<bool> alive{true};
  const HealthServer server("127.0.0.1:" + std::to_string(port),
                            {.ready = [] { return true; }, .alive = [&] { return alive.load(); }});
  EXPECT_EQ(status_line(port, "/healthz"), "HTTP/1.1 200 OK");
  alive = false;
  EXPECT_EQ(status_line(port, "/healthz"), "HTTP/1.1 503 Service Unavailable");
}

TEST(HealthServer, AnswersDuringRequestsThatNeverEnd) {
  const int port = free_port();
  const HealthServer server("127.0.0.1:" + std::to_string(port), {.ready = [] { return true; }});
  const auto half_open = open_half_requests(port, 150);
  EXPECT_EQ(status_line(port, "/healthz"), "HTTP/1.1 200 OK");
}

TEST(HealthServer, SaysSoWhenItsAddressIsTaken) {
  const LoopbackServer other([](const std::string&, const LoopbackServer::Write&) {});
  expect_error(ExitCode::kConfig, "--health-address: can't listen on",
               [&] { HealthServer(other.url().substr(7), {.ready = [] { return true; }}); });
}

}  // namespace
}  // namespace ganscale::controller
