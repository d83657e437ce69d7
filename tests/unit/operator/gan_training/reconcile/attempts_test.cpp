#include "gan_training/reconcile/attempts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/owned.h"
#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

using testing::HasSubstr;

Record wanted(int attempt) {
  Record record;
  record.attempt = attempt;
  record.state = AttemptState::kWanted;
  return record;
}

Json stored(const Record& record) {
  Json training = make_training();
  write_record(record, training["status"]);
  return training;
}

TEST(AttemptIsCurrent, AsksTheServerUnlessItHasJustSaidSo) {
  World world;
  const Json training = stored(wanted(3));
  EXPECT_TRUE(attempt_is_current(parse_training(training), wanted(3), training, world.client));
  EXPECT_EQ(world.server.requests().size(), 0U);
  EXPECT_FALSE(attempt_is_current(parse_training(training), wanted(3), Json(), world.client));
  world.server.put(kTrainings, training);
  EXPECT_TRUE(attempt_is_current(parse_training(training), wanted(3), Json(), world.client));
}

TEST(AttemptIsCurrent, IsFalseForEveryOtherAttempt) {
  World world;
  const GanTraining training = parse_training(make_training());
  const auto is_current = [&](Json server_has) {
    return attempt_is_current(training, wanted(3), server_has, world.client);
  };
  EXPECT_FALSE(is_current(stored(wanted(4))));
  Record live = wanted(3);
  live.state = AttemptState::kLive;
  EXPECT_FALSE(is_current(stored(live)));
  Json deleted = stored(wanted(3));
  deleted["metadata"]["deletionTimestamp"] = "2025-06-15T15:06:40Z";
  EXPECT_FALSE(is_current(deleted));
  Json another = stored(wanted(3));
  another["metadata"]["uid"] = "made again by the same name";
  EXPECT_FALSE(is_current(another));
}

Plan plan_of(const Json& training) {
  const Rules rules = World::rules();
  return check_training(parse_training(training), rules.profiles, rules.schema, {}).plan;
}

TEST(StartAttempt, WritesTheTokenBeforeTheMpiJob) {
  World world;
  start_attempt(plan_of(make_training()), wanted(3), "secret", world.client);
  const auto requests = world.server.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_THAT(requests[0].path, HasSubstr("/secrets"));
  EXPECT_EQ(Json::parse(requests[0].body)["metadata"]["name"], "faces-control");
  EXPECT_EQ(Json::parse(requests[0].body)["stringData"]["token"], "secret");
  EXPECT_THAT(requests[1].path, HasSubstr("/mpijobs"));
  EXPECT_EQ(Json::parse(requests[1].body)["metadata"]["name"], "faces-r3");
}

TEST(StartAttempt, WritesTheTokenAgainAndReadsNoSecretForIt) {
  World world;
  const auto start = [&](int attempt, const std::string& token) {
    start_attempt(plan_of(make_training()), wanted(attempt), token, world.client);
  };
  start(3, "old");
  start(4, "new");
  EXPECT_EQ(world.server.get(resource::kSecrets, {"team", "faces-control"})["data"]["token"],
            "new");
  EXPECT_EQ(world.server.count("GET", "/secrets"), 0U);
}

TEST(StartAttempt, TakesNoSecretAndNoMpiJobOfAnotherOwner) {
  for (const auto& [resource, name] :
       {std::pair{resource::kSecrets, "faces-control"}, std::pair{kMpiJobs, "faces-r3"}}) {
    World world;
    const Key key{"team", name};
    world.server.put(resource, {{"metadata", {{"name", name}, {"namespace", "team"}}}});
    const Json before = world.server.get(resource, key);
    EXPECT_THROW(start_attempt(plan_of(make_training()), wanted(3), "secret", world.client),
                 NameTaken)
        << name;
    EXPECT_EQ(world.server.get(resource, key), before) << name;
  }
}

// Our copy lacks it, and the spec was edited since: its pods stay what they are.
TEST(StartAttempt, LeavesItsMpiJobOfAnotherPlanAsItIs) {
  World world;
  const auto start = [&](const Json& changes) {
    start_attempt(plan_of(make_training(changes)), wanted(3), "secret", world.client);
  };
  start(Json::object());
  world.server.edit(kMpiJobs, World::job_key(3), {{"metadata", {{"labels", nullptr}}}});
  const Json before = world.server.get(kMpiJobs, World::job_key(3));
  try {
    start({{"nodes", 2}});
    ADD_FAILURE() << "it was applied over";
  } catch (const ApiError& error) {
    EXPECT_EQ(error.code(), 409);
  }
  EXPECT_EQ(world.server.get(kMpiJobs, World::job_key(3)), before);
  start({{"checkpointDeadlineSeconds", 7}});
  const Json job = world.server.get(kMpiJobs, World::job_key(3));
  EXPECT_EQ(job["metadata"]["labels"][kTrainingLabel], "faces") << "the same pods, but their grace";
}

TEST(StartAttempt, MakesNoMpiJobWithoutAToken) {
  World world;
  world.server.fail_next("POST", "/secrets", 403, "Forbidden");
  EXPECT_THROW(start_attempt(plan_of(make_training()), wanted(1), "secret", world.client),
               ApiError);
  EXPECT_EQ(world.server.count("POST", "/mpijobs"), 0U);
}

Json job(int attempt, const std::string& owner) {
  return {{"metadata",
           {{"name", attempt_name(kFaces, attempt)},
            {"namespace", "team"},
            {"labels", {{kTrainingLabel, "faces"}, {kAttemptLabel, std::to_string(attempt)}}},
            {"ownerReferences", Json::array({{{"uid", owner}, {"controller", true}}})}}}};
}

TEST(DeleteAttempts, KeepsTheLiveAttemptAndObjectsOfOthers) {
  World world;
  for (int attempt = 1; attempt <= 3; ++attempt) world.server.put(kMpiJobs, job(attempt, "u"));
  world.server.put(kMpiJobs, job(7, "another training"));
  Json going = job(2, "u");
  going["metadata"]["deletionTimestamp"] = "2025-06-15T15:06:40Z";
  going["metadata"]["finalizers"] = Json::array({"slow"});
  world.server.put(kMpiJobs, going);
  world.sync();
  Record live = wanted(3);
  live.state = AttemptState::kLive;
  delete_attempts(parse_training(make_training()), live, std::nullopt, world.cluster());
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
  EXPECT_EQ(world.server.count("DELETE", "faces-r2"), 0U) << "it is going";
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(3)).is_null());
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(7)).is_null());
  live.state = AttemptState::kEnded;
  delete_attempts(parse_training(make_training()), live, std::nullopt, world.cluster());
  EXPECT_TRUE(world.server.get(kMpiJobs, World::job_key(3)).is_null());
}

TEST(DeleteAttempts, DeletesOneThatWasSeenThoughTheCacheLacksIt) {
  World world;
  world.server.put(kMpiJobs, job(1, "u"));
  Attempt seen;
  seen.name = "faces-r1";
  seen.uid = world.server.get(kMpiJobs, World::job_key(1))["metadata"]["uid"];
  Record record = wanted(1);
  const auto is_there_after_delete = [&] {
    delete_attempts(parse_training(make_training()), record, seen, world.cluster());
    return !world.server.get(kMpiJobs, World::job_key(1)).is_null();
  };
  EXPECT_TRUE(is_there_after_delete()) << "it is the live one";
  record.state = AttemptState::kEnded;
  EXPECT_FALSE(is_there_after_delete());
}

TEST(DeleteAttempts, LeavesAnObjectThatHasTakenTheName) {
  World world;
  world.server.put(kMpiJobs, job(1, "u"));
  world.sync();
  world.server.remove(kMpiJobs, World::job_key(1));
  world.server.put(kMpiJobs, job(1, "u"));  // with a uid of its own
  Record ended = wanted(1);
  ended.state = AttemptState::kEnded;
  delete_attempts(parse_training(make_training()), ended, std::nullopt, world.cluster());
  EXPECT_FALSE(world.server.get(kMpiJobs, World::job_key(1)).is_null());
}

}  // namespace
}  // namespace ganscale::controller::gan_training
