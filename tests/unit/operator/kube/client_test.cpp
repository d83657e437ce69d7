#include "kube/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace ganscale::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

/// Gives prepared answers in turn; status 0 is a broken connection.
class Answers : public Transport {
 public:
  explicit Answers(std::deque<HttpResponse> answers) : answers_(std::move(answers)) {}

  HttpResponse send(const HttpRequest& request) override {
    requests.push_back(request);
    const HttpResponse answer = answers_.front();
    answers_.pop_front();
    if (answer.status == 0) throw TransportError("broken");
    return answer;
  }
  HttpResponse stream(const HttpRequest&, const std::function<void(std::string_view)>&) override {
    return {};
  }
  void stop() override {}
  void refresh() override { ++refreshed; }

  std::vector<HttpRequest> requests;
  int refreshed = 0;

 private:
  std::deque<HttpResponse> answers_;
};

HttpResponse answer(int status, const std::string& body = "{}",
                    std::optional<seconds> retry_after = std::nullopt) {
  return {.status = status, .body = body, .retry_after = retry_after};
}

struct Talk {
  explicit Talk(std::deque<HttpResponse> answers)
      : transport(std::move(answers)),
        client(transport, {.sleep = [this](milliseconds time) { slept.push_back(time.count()); }}) {
  }
  Answers transport;
  std::vector<std::int64_t> slept;
  Client client;
};

const Key kKey{"team", "a"};

TEST(Client, WaitsAsLongAsABusyServerAsks) {
  Talk run({answer(429, "{}", seconds(2)), answer(429), answer(200, R"({"x": 1})")});
  EXPECT_EQ(run.client.get(resource::kPods, kKey), Json({{"x", 1}}));
  EXPECT_THAT(run.slept, ElementsAre(2000, 400));
}

TEST(Client, RetriesABrokenServerOnlyAFewTimes) {
  Talk run({answer(500), answer(503),
            answer(500, R"({"kind":"Status","message":"down","reason":"R"})")});
  try {
    run.client.get(resource::kPods, kKey);
    ADD_FAILURE();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.code(), 500);
    EXPECT_EQ(error.reason(), "R");
    EXPECT_THAT(error.what(), HasSubstr("down"));
  }
}

TEST(Client, SendsAgainAfterABrokenConnectionUnlessItMayHaveMadeSomething) {
  Talk again({answer(0), answer(200)});
  EXPECT_TRUE(again.client.get(resource::kPods, kKey));
  Talk once({answer(0)});
  EXPECT_THROW(once.client.create(resource::kPods, {{"metadata", {{"name", "a"}}}}),
               TransportError);
}

TEST(Client, SendsNoWriteWithoutPermission) {
  Answers transport({answer(200), answer(500), answer(200)});
  bool may_write = false;
  Client::Hooks hooks;
  hooks.may_write = [&] { return may_write; };
  hooks.sleep = [&](milliseconds) { may_write = false; };  // the lease ends between two tries
  Client client(transport, hooks);
  EXPECT_THROW(client.remove(resource::kJobs, kKey, "u"), TransportError);
  EXPECT_TRUE(client.get(resource::kJobs, kKey));
  may_write = true;
  EXPECT_THROW(client.remove(resource::kJobs, kKey, "u"), TransportError);
  EXPECT_EQ(transport.requests.size(), 2U);
}

TEST(Client, SendsOnceIfRetriesAreOff) {
  Answers transport({answer(0), answer(429), answer(500)});
  Client::Hooks hooks;
  hooks.tries_again = false;
  Client client(transport, hooks);
  EXPECT_THROW(client.get(resource::kLeases, kKey), TransportError);
  EXPECT_THROW(client.get(resource::kLeases, kKey), ApiError);
  EXPECT_THROW(client.get(resource::kLeases, kKey), ApiError);
  EXPECT_EQ(transport.requests.size(), 3U);
}

TEST(Client, RereadsItsCredentialsOnceWhenRefused) {
  Talk run({answer(401), answer(200)});
  EXPECT_TRUE(run.client.get(resource::kPods, kKey));
  EXPECT_EQ(run.transport.refreshed, 1);
  Talk refused({answer(401), answer(401)});
  EXPECT_THROW(refused.client.get(resource::kPods, kKey), ApiError);
}

TEST(Client, ReadsEveryPageOfAList) {
  Talk run(
      {answer(200,
              R"({"items":[{"n":1},{"n":2}],"metadata":{"continue":"c1","resourceVersion":"9"}})"),
       answer(200, R"({"items":[{"n":3}],"metadata":{"resourceVersion":"9"}})")});
  int sum = 0;
  EXPECT_EQ(run.client.list(resource::kPods, "", "labelSelector=x",
                            [&](const Json& item) { sum += item["n"].get<int>(); }),
            "9");
  EXPECT_EQ(sum, 6);
  EXPECT_THAT(run.transport.requests.at(1).path, HasSubstr("&labelSelector=x&continue=c1"));
}

TEST(Client, GivesTheItemsOfAListTheirTypeAsGetDoes) {
  Talk run({answer(200, R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{},
                            "items":[{"metadata":{"name":"a"}}]})"),
            answer(200, R"({"kind":"MPIJobList","apiVersion":"kubeflow.org/v2beta1","metadata":{},
                            "items":[{"kind":"Other","apiVersion":"v9"}]})")});
  std::vector<Json> items;
  const auto keep = [&](Json item) { items.push_back(std::move(item)); };
  run.client.list(resource::kConfigMaps, "", "", keep);
  run.client.list(resource::kConfigMaps, "", "", keep);
  EXPECT_EQ(items.at(0),
            Json({{"kind", "ConfigMap"}, {"apiVersion", "v1"}, {"metadata", {{"name", "a"}}}}));
  EXPECT_EQ(items.at(1), Json({{"kind", "Other"}, {"apiVersion", "v9"}}));  // what it says itself
}

TEST(Client, AppliesAsItsOwnFieldManager) {
  Talk run({answer(200)});
  run.client.apply(resource::kJobs, {{"metadata", {{"name", "a-r1"}, {"namespace", "team"}}}});
  EXPECT_EQ(run.transport.requests.at(0).path,
            "/apis/batch/v1/namespaces/team/jobs/"
            "a-r1?fieldManager=ganscale-operator&force=true");
  EXPECT_EQ(run.transport.requests.at(0).content_type, "application/apply-patch+yaml");
}

TEST(Client, AsksForTheMetadataOfASecretByAPatchThatChangesNothing) {
  Talk run({answer(200, R"({"metadata":{"uid":"u"}})"), answer(404)});
  EXPECT_EQ(run.client.metadata(resource::kSecrets, kKey), Json({{"metadata", {{"uid", "u"}}}}));
  EXPECT_EQ(run.client.metadata(resource::kSecrets, kKey), std::nullopt);
  const HttpRequest& sent = run.transport.requests.at(0);
  EXPECT_EQ(sent.method + " " + sent.path, "PATCH /api/v1/namespaces/team/secrets/a?dryRun=All");
  EXPECT_EQ(sent.body, "{}");
  EXPECT_EQ(sent.accept, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
}

TEST(Client, DeletesOnlyTheObjectOfTheGivenUid) {
  Talk run({answer(409), answer(404), answer(403)});
  EXPECT_NO_THROW(run.client.remove(resource::kJobs, kKey, "u"));  // another one by that name
  EXPECT_NO_THROW(run.client.remove(resource::kJobs, kKey, "u"));
  EXPECT_THROW(run.client.remove(resource::kJobs, kKey, "u"), ApiError);
  EXPECT_THAT(run.transport.requests.at(0).body, HasSubstr(R"("preconditions":{"uid":"u"})"));
}

TEST(Client, ReportsAnAnswerThatIsNotJson) {
  Talk run({answer(200, "<html>")});
  EXPECT_THROW(run.client.get(resource::kPods, kKey), ApiError);
}

}  // namespace
}  // namespace ganscale::controller
