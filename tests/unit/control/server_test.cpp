#include "control/server.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "support/expect_error.h"
#include "support/loopback_http.h"

namespace ganscale::control {
namespace {

constexpr const char* kToken = "Authorization: Bearer s3cret\r\n";
constexpr const char* kJson = "Content-Type: application/json\r\n";
const std::string kCommandHeaders = std::string(kToken) + kJson;

class ControlServer : public testing::Test {
 protected:
  ControlServer()
      : token_file_(std::filesystem::temp_directory_path() /
                    ("ganscale-token-" + std::to_string(getpid()))) {
    write_token("s3cret");
  }
  ~ControlServer() override { std::filesystem::remove(token_file_); }

  void write_token(const std::string& token) const { std::ofstream(token_file_) << token << '\n'; }
  std::unique_ptr<Server> open_guarded() const {
    return std::make_unique<Server>(
        ServerConfig{.address = "127.0.0.1", .port = 0, .token_file = token_file_});
  }

  const std::filesystem::path token_file_;
};

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total_pages = 0;
  std::size_t resident_pages = 0;
  file >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(ControlServer, AnswersTheStatusThatWasSet) {
  Server server(ServerConfig{});
  wire::JobStatus status;
  status.state = wire::JobState::kRunning;
  status.run = "faces";
  status.images_seen = 6400;
  server.set_status(status);
  const HttpAnswer answer = http_request(server.port(), "GET /status");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.head, testing::HasSubstr("application/json"));
  EXPECT_EQ(wire::parse_job_status(nlohmann::ordered_json::parse(answer.body)), status);
  EXPECT_EQ(http_request(server.port(), "GET /readyz").status, 200);
}

TEST_F(ControlServer, WithoutATokenTakesNoCommand) {
  Server server(ServerConfig{});
  EXPECT_EQ(http_request(server.port(), "POST /commands", kJson, R"({"command": "stop"})").status,
            403);
  EXPECT_FALSE(server.next_command());
}

TEST_F(ControlServer, PassesCommandsOnInOrder) {
  const auto server = open_guarded();
  for (const char* word : {"pause", "checkpoint", "resume"}) {
    const std::string body = std::string(R"({"command": ")") + word + "\"}";
    EXPECT_EQ(http_request(server->port(), "POST /commands", kCommandHeaders, body).status, 202);
  }
  EXPECT_EQ(server->next_command(), wire::Command::kPause);
  EXPECT_EQ(server->next_command(), wire::Command::kCheckpoint);
  EXPECT_EQ(server->next_command(), wire::Command::kResume);
  EXPECT_FALSE(server->next_command());
}

TEST_F(ControlServer, RefusesTheCommandsOfATrainingThatTakesNone) {
  Server server(ServerConfig{.address = "127.0.0.1",
                             .port = 0,
                             .token_file = token_file_,
                             .commands_refused = "not with this scheme"});
  const auto send = [&](const std::string& body) {
    return http_request(server.port(), "POST /commands", kCommandHeaders, body);
  };
  const HttpAnswer answer = send(R"({"command": "pause"})");
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.body, R"({"error":"not with this scheme"})");
  EXPECT_EQ(send("{").status, 400);
  EXPECT_FALSE(server.next_command());
  EXPECT_EQ(http_request(server.port(), "GET /status", kToken).status, 200);
}

TEST_F(ControlServer, CarriesOutStopAtOnceWhereATrainingTakesNothingElse) {
  std::atomic<int> stops = 0;
  Server server(ServerConfig{.address = "127.0.0.1",
                             .port = 0,
                             .token_file = token_file_,
                             .on_stop = [&] { ++stops; },
                             .commands_refused = "stop alone"});
  const auto send = [&](const std::string& headers, const std::string& word) {
    return http_request(server.port(), "POST /commands", headers,
                        R"({"command": ")" + word + "\"}");
  };
  EXPECT_EQ(send(kJson, "stop").status, 401);
  for (const char* word : {"pause", "resume", "checkpoint"}) {
    EXPECT_EQ(send(kCommandHeaders, word).status, 409) << word;
  }
  EXPECT_EQ(stops, 0);
  for (int sent = 1; sent <= 20; ++sent) {  // more than may wait
    const HttpAnswer answer = send(kCommandHeaders, "stop");
    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(answer.body, R"({"command":"stop"})");
    EXPECT_EQ(stops, sent);
  }
  EXPECT_FALSE(server.next_command());
}

TEST_F(ControlServer, RefusesWithTheStatusOfTheRoutes) {
  const auto server = open_guarded();
  const int port = server->port();
  const std::string stop = R"({"command": "stop"})";
  EXPECT_EQ(http_request(port, "GET /status").status, 401);
  EXPECT_THAT(http_request(port, "GET /status").head,
              testing::HasSubstr("WWW-Authenticate: Bearer"));
  EXPECT_EQ(http_request(port, "POST /commands", kJson, stop).status, 401);
  EXPECT_EQ(http_request(port, "POST /commands", kToken, stop).status, 415);
  EXPECT_EQ(http_request(port, "POST /commands", kCommandHeaders, "{").status, 400);
  EXPECT_EQ(http_request(port, "POST /commands", kCommandHeaders).status, 411);
  EXPECT_EQ(http_request(port, "DELETE /status", kToken).status, 405);
  EXPECT_EQ(http_request(port, "GET /%ff%fe", kToken).status, 404);
  EXPECT_FALSE(server->next_command());
}

TEST_F(ControlServer, TakesTheNewTokenOfARotatedFile) {
  const auto server = open_guarded();
  EXPECT_EQ(http_request(server->port(), "GET /status", kToken).status, 200);
  write_token("n3w");
  EXPECT_EQ(http_request(server->port(), "GET /status", kToken).status, 401);
  EXPECT_EQ(http_request(server->port(), "GET /status", "Authorization: Bearer n3w\r\n").status,
            200);
}

TEST_F(ControlServer, SaysWhenCommandsPileUp) {
  const auto server = open_guarded();
  const auto send = [&] {
    return http_request(server->port(), "POST /commands", kCommandHeaders,
                        R"({"command": "pause"})");
  };
  for (int sent = 0; sent < 16; ++sent) ASSERT_EQ(send().status, 202);
  EXPECT_EQ(send().status, 503);
  EXPECT_TRUE(server->next_command());
  EXPECT_EQ(send().status, 202);
}

TEST_F(ControlServer, DropsTheBodyOfARefusedRequest) {
  const auto server = open_guarded();
  const std::size_t before_bytes = resident_bytes();
  LoopbackConnection connection(server->port());
  connection.write("POST /commands HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n");
  const std::string part(1 << 20, 'x');
  bool open = true;
  for (int sent = 0; open && sent < 95; ++sent) open = connection.write(part);
  EXPECT_THAT(connection.read_to_end(), testing::HasSubstr(" 401 "));
  EXPECT_LT(resident_bytes(), before_bytes + (20 << 20));
}

TEST_F(ControlServer, AnswersWhileOthersSendNothingMore) {
  const auto server = open_guarded();
  std::vector<std::unique_ptr<LoopbackConnection>> slow;
  for (int client = 0; client < 16; ++client) {
    slow.push_back(std::make_unique<LoopbackConnection>(server->port()));
    slow.back()->write("POST /commands HTTP/1.1\r\nHost: x\r\n" + kCommandHeaders +
                       (client % 2 == 0 ? "Content-Length: 40\r\n\r\n{" : ""));
  }
  const auto half_open = open_half_requests(server->port(), 150);
  EXPECT_EQ(http_request(server->port(), "GET /status", kToken).status, 200);
  // The destructor must end those connections, not wait for them.
}

TEST_F(ControlServer, ServesManyClientsWhileTheTrainingWrites) {
  const auto server = open_guarded();
  std::vector<std::thread> clients;
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([&] {
      for (int request = 0; request < 20; ++request) {
        EXPECT_EQ(http_request(server->port(), "GET /status", kToken).status, 200);
      }
    });
  }
  wire::JobStatus status;
  for (; status.images_seen < 1000; ++status.images_seen) server->set_status(status);
  for (auto& client : clients) client.join();
}

TEST_F(ControlServer, RefusesAPortThatIsTaken) {
  const auto server = open_guarded();
  expect_error(ExitCode::kConfig, "telemetry.control_port: can't listen on 127.0.0.1:", [&] {
    Server second(
        ServerConfig{.address = "127.0.0.1", .port = server->port(), .token_file = token_file_});
  });
}

TEST_F(ControlServer, RefusesATokenFileWithoutAToken) {
  write_token("");
  expect_error(ExitCode::kConfig, "telemetry.token_file: unreadable or empty",
               [&] { open_guarded(); });
  std::filesystem::remove(token_file_);
  expect_error(ExitCode::kConfig, "telemetry.token_file: unreadable or empty",
               [&] { open_guarded(); });
}

}  // namespace
}  // namespace ganscale::control
