#include "control/routes.h"

#include <gmock/gmock.h>

namespace ganscale::control {
namespace {

const Access kOpen{};
const Access kGuarded{.needs_token = true, .token = "s3cret"};

Request get(const std::string& path) {
  Request request;
  request.method = "GET";
  request.path = path;
  request.peer_is_loopback = true;
  return request;
}

Request post(const std::string& path) {
  Request request = get(path);
  request.method = "POST";
  request.authorization = "Bearer s3cret";
  request.content_type = "application/json";
  request.content_length_bytes = 20;
  return request;
}

Request from_elsewhere(Request request) {
  request.peer_is_loopback = false;
  return request;
}

/// Returns 0 for a request that is not refused.
int refusal(const Request& request, const Access& access) {
  const auto response = refuse(request, access);
  return response ? response->status : 0;
}

wire::JobStatus status_in(wire::JobState state) {
  wire::JobStatus status;
  status.state = state;
  return status;
}

TEST(Routes, AnswerTheProbesOfAnybody) {
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(refusal(from_elsewhere(get(path)), kOpen), 0) << path;
    EXPECT_EQ(refusal(from_elsewhere(get(path)), kGuarded), 0) << path;
  }
}

TEST(Routes, WithoutATokenAnswerOnlyGetFromThisMachine) {
  EXPECT_EQ(refusal(get("/status"), kOpen), 0);
  EXPECT_EQ(refusal(from_elsewhere(get("/status")), kOpen), 403);
  EXPECT_EQ(refusal(post("/commands"), kOpen), 403);
  EXPECT_EQ(refusal(from_elsewhere(get("/nothing")), kOpen), 403);
}

TEST(Routes, WithATokenRequireItOfEveryone) {
  EXPECT_EQ(refusal(get("/status"), kGuarded), 401);
  EXPECT_EQ(refusal(get("/nothing"), kGuarded), 401);
  Request right = from_elsewhere(get("/status"));
  right.authorization = "Bearer s3cret";
  EXPECT_EQ(refusal(right, kGuarded), 0);
  EXPECT_EQ(refusal(from_elsewhere(post("/commands")), kGuarded), 0);
  Request wrong = post("/commands");
  wrong.authorization = "Bearer guess";
  const auto response = refuse(wrong, kGuarded);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 401);
  EXPECT_THAT(response->headers,
              testing::Contains(testing::Pair("WWW-Authenticate", "Bearer realm=\"ganscale\"")));
}

TEST(Routes, RefuseEveryoneWhileTheTokenIsUnreadable) {
  EXPECT_EQ(refusal(post("/commands"), {.needs_token = true, .token = ""}), 401);
}

TEST(Routes, RefuseAnotherPathOrMethod) {
  EXPECT_EQ(refusal(get("/"), kOpen), 404);
  EXPECT_EQ(refusal(get("/status/"), kOpen), 404);
  EXPECT_EQ(refusal(post("/status"), kGuarded), 405);
  Request request = post("/commands");
  request.method = "GET";
  const auto response = refuse(request, kGuarded);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 405);
  EXPECT_THAT(response->headers, testing::Contains(testing::Pair("Allow", "POST")));
}

TEST(Routes, RefuseABodyByItsHead) {
  Request request = post("/commands");
  request.content_length_bytes = kLargestBodyBytes;
  EXPECT_EQ(refusal(request, kGuarded), 0);
  request.content_length_bytes = kLargestBodyBytes + 1;
  EXPECT_EQ(refusal(request, kGuarded), 413);
  request.content_length_bytes.reset();
  EXPECT_EQ(refusal(request, kGuarded), 411);
  request = post("/commands");
  for (const char* type : {"Application/JSON", "application/json; charset=utf-8"}) {
    request.content_type = type;
    EXPECT_EQ(refusal(request, kGuarded), 0) << type;
  }
  for (const char* type : {"", "text/plain", "application/jsonp"}) {
    request.content_type = type;
    EXPECT_EQ(refusal(request, kGuarded), 415) << type;
  }
}

TEST(Routes, PassACommandOn) {
  const Response response = answer(post("/commands"), R"({"command": "pause"})", {});
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.command, wire::Command::kPause);
}

TEST(Routes, RefuseAnUnknownCommand) {
  for (const char* body : {"", "{", R"({"command": "explode"})"}) {
    const Response response = answer(post("/commands"), body, {});
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_FALSE(response.command);
  }
}

TEST(Routes, GiveTheStatus) {
  wire::JobStatus status;
  status.run = "faces";
  EXPECT_EQ(answer(get("/status"), "", status).body, wire::to_json(status));
}

TEST(Routes, AreReadyFromTheFirstStepUnlessItFailed) {
  using wire::JobState;
  for (const JobState state :
       {JobState::kRunning, JobState::kPaused, JobState::kStopping, JobState::kDone}) {
    EXPECT_EQ(answer(get("/readyz"), "", status_in(state)).status, 200) << name(state);
  }
  for (const JobState state : {JobState::kStarting, JobState::kFailed}) {
    EXPECT_EQ(answer(get("/readyz"), "", status_in(state)).status, 503) << name(state);
    EXPECT_EQ(answer(get("/healthz"), "", status_in(state)).status, 200) << name(state);
  }
}

}  // namespace
}  // namespace ganscale::control
