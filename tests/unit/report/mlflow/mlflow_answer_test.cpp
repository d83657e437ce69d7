#include "report/mlflow/mlflow_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ganscale::report {
namespace {

using nlohmann::ordered_json;
using testing::EndsWith;
using testing::HasSubstr;

const std::string kCreatedRun = R"({"run":{"info":{"run_id":"abc","start_time":7,"name":""}}})";

/// Returns the error that `action` throws.
template <class Action>
MlflowError mlflow_error_of(Action action) {
  try {
    action();
  } catch (const MlflowError& error) {
    return error;
  }
  ADD_FAILURE() << "expected an MlflowError";
  return {"", false};
}

/// Returns the error for an answer with this status and body.
MlflowError refused_answer(int status, const std::string& body) {
  return mlflow_error_of([&] { parse_mlflow_answer("runs/create", status, body); });
}

TEST(MlflowAnswer, IsTheObjectOfARequestThatTheServerTook) {
  EXPECT_EQ(parse_mlflow_answer("runs/create", 200, kCreatedRun).dump(), kCreatedRun);
  EXPECT_EQ(parse_mlflow_answer("runs/log-batch", 200, "{}").dump(), "{}");
}

TEST(MlflowAnswer, IsRefusedWithTheReasonOfTheServer) {
  const MlflowError error = refused_answer(
      404, R"({"error_code":"RESOURCE_DOES_NOT_EXIST","message":"No experiment \"faces\""})");
  EXPECT_STREQ(
      error.what(),
      R"(runs/create: HTTP status 404 RESOURCE_DOES_NOT_EXIST: "No experiment \"faces\"")");
  EXPECT_EQ(error.code(), "RESOURCE_DOES_NOT_EXIST");
}

TEST(MlflowAnswer, IsRefusedWithEveryOtherStatusEvenIfItIsAnObject) {
  for (const int status : {0, 199, 201, 204, 302, 404, 500}) {
    const std::string name = "runs/create: HTTP status " + std::to_string(status) + ": ";
    EXPECT_THAT(refused_answer(status, kCreatedRun).what(), HasSubstr(name));
    EXPECT_THAT(refused_answer(status, kCreatedRun).what(), EndsWith(": " + kCreatedRun));
  }
}

TEST(MlflowAnswer, IsRefusedUnlessItIsAnObject) {
  for (const char* body : {"", "[]", "null", "true", "\"run\"", "{\"run\":", "{} {}", "<html>"}) {
    const MlflowError error = refused_answer(200, body);
    EXPECT_THAT(error.what(), HasSubstr("runs/create: HTTP status 200: "));
    EXPECT_THAT(error.what(), EndsWith(std::string(": ") + body));
    EXPECT_EQ(error.code(), "");
    EXPECT_TRUE(error.may_pass()) << "a proxy's, while the server is away";
  }
}

TEST(MlflowAnswer, MayBeAnotherOneLaterIfTheServerIsSlowBusyOrBroken) {
  for (const int status : {408, 429, 500, 502, 503, 599})
    EXPECT_TRUE(refused_answer(status, "{}").may_pass()) << status;
  for (const int status : {400, 401, 403, 404, 407, 409, 428, 430, 499})
    EXPECT_FALSE(refused_answer(status, "{}").may_pass()) << status;
}

TEST(MlflowAnswer, IsItsOwnReasonIfItsMessageIsNoText) {
  for (const std::string body :
       {R"({"error_code":["A"],"message":7})", R"({"error_code":null,"message":{"a":"b"}})",
        R"({"error_code":404,"message":""})", R"(["message"])"}) {
    const MlflowError error = refused_answer(400, body);
    EXPECT_THAT(error.what(), EndsWith(": " + body));
    EXPECT_EQ(error.code(), "");
  }
}

TEST(MlflowAnswer, IsShownUpTo300Bytes) {
  const std::string whole(300, 'x');
  EXPECT_THAT(refused_answer(502, whole).what(), EndsWith(": " + whole));
  EXPECT_THAT(refused_answer(502, whole + "y").what(), EndsWith(": " + whole));
  const std::string message = R"({"message":")" + whole + R"("})";
  EXPECT_THAT(refused_answer(502, message).what(), EndsWith(": \"" + whole.substr(1)));
}

TEST(MlflowAnswer, IsShownWithoutBytesThatAreNotUtf8) {
  EXPECT_THAT(refused_answer(502, "Bad \xFF Gateway").what(),
              EndsWith(": Bad \xEF\xBF\xBD Gateway"));
  const std::string almost(299, 'x');  // a character begins at the last byte that is shown
  EXPECT_THAT(refused_answer(502, almost + "\xC3\xA9").what(),
              EndsWith(": " + almost + "\xEF\xBF\xBD"));
}

TEST(MlflowAnswer, HasTheTextThatKeysLeadTo) {
  const auto answer = ordered_json::parse(kCreatedRun);
  EXPECT_EQ(text_of_answer(answer, {"run", "info", "run_id"}), "abc");
  EXPECT_EQ(text_of_answer(answer["run"]["info"]["run_id"], {}), "abc");
  EXPECT_EQ(text_of_answer(ordered_json::parse(R"({"a/b~":"c"})"), {"a/b~"}), "c");
}

TEST(MlflowAnswer, HasNoTextWhereThereIsSomethingElse) {
  const auto answer = ordered_json::parse(kCreatedRun);
  EXPECT_EQ(text_of_answer(answer, {"info"}), "");
  EXPECT_EQ(text_of_answer(answer, {"run", "info"}), "");
  EXPECT_EQ(text_of_answer(answer, {"run", "info", "start_time"}), "");
  EXPECT_EQ(text_of_answer(answer, {"run", "info", "run_id", "abc"}), "");
  EXPECT_EQ(text_of_answer(ordered_json::parse("[\"run\"]"), {"run"}), "");
  EXPECT_EQ(text_of_answer(nullptr, {"run"}), "");
}

TEST(MlflowAnswer, MayHaveAnIdOnlyLater) {
  const auto answer = ordered_json::parse(kCreatedRun);
  EXPECT_EQ(id_of_answer(answer, {"run", "info", "run_id"}), "abc");
  for (const char* key : {"start_time", "name", "artifact_uri"}) {
    const MlflowError error = mlflow_error_of([&] { id_of_answer(answer, {"run", "info", key}); });
    EXPECT_EQ(error.what(), std::string("the answer of the server has no ") + key);
    EXPECT_TRUE(error.may_pass());
    EXPECT_EQ(error.code(), "");
  }
}

}  // namespace
}  // namespace ganscale::report
