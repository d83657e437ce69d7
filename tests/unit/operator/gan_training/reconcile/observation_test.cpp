#include "gan_training/reconcile/observation.h"

#include <gtest/gtest.h>

#include "unit/operator/gan_training/reconcile/world.h"

namespace ganscale::controller::gan_training {
namespace {

Observation observe_in(World& world, const Json& training) {
  world.sync();
  return observe(parse_training(training), world.cluster(), World::rules(), world.now);
}

Json claim(const std::string& name) {
  return {{"metadata", {{"name", name}, {"namespace", "team"}}}};
}

TEST(Observation, OfANewTrainingHasItsPlanAndNoAttempt) {
  World world;
  const Observation seen = observe_in(world, make_training({{"nodes", 2}, {"suspend", true}}));
  EXPECT_EQ(seen.situation.problem, "");
  EXPECT_EQ(seen.situation.nodes, 2);
  EXPECT_TRUE(seen.situation.suspend);
  EXPECT_NE(seen.situation.hash, "");
  EXPECT_FALSE(seen.situation.attempt);
  EXPECT_FALSE(seen.situation.others);
}

// As after a restored backup, when kinds are listed again one after the other.
TEST(Observation, ReadsALiveAttemptThatTheCacheLacks) {
  World world;
  world.run();
  const Json job = world.server.get(kMpiJobs, World::job_key(1));
  world.server.remove(kMpiJobs, World::job_key(1));
  world.sync();
  const auto seen = [&] {
    return observe(world.stored(), world.cluster(), World::rules(), world.now);
  };
  EXPECT_FALSE(seen().situation.attempt);
  world.server.put(kMpiJobs, job);
  ASSERT_TRUE(seen().situation.attempt);
  EXPECT_EQ(seen().situation.attempt->name, "faces-r1");
  Json of_another = job;
  of_another["metadata"]["ownerReferences"][0]["uid"] = "another";
  world.server.remove(kMpiJobs, World::job_key(1));
  world.server.put(kMpiJobs, of_another);
  EXPECT_FALSE(seen().situation.attempt);
}

TEST(Observation, ReadsAnAttemptThatWasJustMadeAndThatTheCacheLacks) {
  World world;
  world.server.put(kTrainings, make_training());
  world.settle();
  const Json job = world.server.get(kMpiJobs, World::job_key(1));
  world.server.remove(kMpiJobs, World::job_key(1));
  world.sync();
  world.server.put(kMpiJobs, job);
  const auto is_seen = [&](AttemptState state) {
    GanTraining training = world.stored();
    Record record = read_record(training.status);
    record.state = state;
    write_record(record, training.status);
    const auto seen = observe(training, world.cluster(), World::rules(), world.now);
    return seen.situation.attempt.has_value();
  };
  EXPECT_TRUE(is_seen(AttemptState::kWanted));
  EXPECT_FALSE(is_seen(AttemptState::kEnded)) << "it is to go";
}

TEST(Observation, NamesTheClaimThatIsMissing) {
  World world;
  const Json training = make_training({{"data", {{"claimName", "faces"}}},
                                       {"storage", {{"claimName", "runs"}}},
                                       {"evaluation", {{"featureNet", {{"claimName", "nets"}}}}}});
  EXPECT_EQ(observe_in(world, training).situation.problem,
            "spec.data.claimName: no such PersistentVolumeClaim: faces");
  world.server.put(resource::kClaims, claim("faces"));
  EXPECT_EQ(observe_in(world, training).situation.problem,
            "spec.storage.claimName: no such PersistentVolumeClaim: runs");
  EXPECT_EQ(observe_in(world, training).situation.problem_reason, "MissingClaim");
  world.server.put(resource::kClaims, claim("runs"));
  EXPECT_EQ(observe_in(world, training).situation.problem,
            "spec.evaluation.featureNet.claimName: no such PersistentVolumeClaim: nets");
  world.server.put(resource::kClaims, claim("nets"));
  EXPECT_EQ(observe_in(world, training).situation.problem, "");
}

TEST(Observation, RefusesNamesThatAreNotObjectNames) {
  for (const char* name : {"a\u202eb", "../secrets/key", "a/b", "A", "-a", "a-", "a..b", "%2e"}) {
    World world;
    const Observation seen = observe_in(world, make_training({{"data", {{"claimName", name}}}}));
    EXPECT_EQ(seen.situation.problem_reason, "BadSpec") << name;
    EXPECT_FALSE(seen.situation.has_spec);
    EXPECT_EQ(seen.situation.problem.find("spec.data.claimName: must be an object name"), 0U)
        << seen.situation.problem;
    EXPECT_EQ(world.server.count("GET", "/persistentvolumeclaims/"), 0U);
  }
}

TEST(Observation, ReadsTheConfigurationFromAConfigMap) {
  World world;
  const Json training = make_training(
      {{"config", nullptr}, {"configFrom", {{"name", "theirs"}, {"key", "run.yaml"}}}});
  EXPECT_EQ(observe_in(world, training).situation.problem,
            "spec.configFrom.name: no such ConfigMap: theirs");
  EXPECT_EQ(observe_in(world, training).situation.problem_reason, "MissingConfigMap");
  Json map = claim("theirs");
  map["data"] = {{"config.yaml", "training: {batch: 8}"}};
  world.server.put(resource::kConfigMaps, map);
  EXPECT_EQ(observe_in(world, training).situation.problem,
            "spec.configFrom.key: the ConfigMap theirs has no key: run.yaml");
  map["data"]["run.yaml"] = "training: {batch: 16}";
  world.server.put(resource::kConfigMaps, map);
  EXPECT_EQ(observe_in(world, training).checked.plan.config["training"]["batch"], 16);
  map["data"]["run.yaml"] = "[no, map]";
  world.server.put(resource::kConfigMaps, map);
  EXPECT_EQ(observe_in(world, training).situation.problem_reason, "BadConfig");
}

TEST(Observation, ThrowsWhatTheServerSaysUnlessTheTrainingIsDeleted) {
  World world;
  Json training = make_training({{"config", nullptr}, {"configFrom", {{"name", "theirs"}}}});
  world.server.fail_next("GET", "/configmaps/theirs", 403, "Forbidden");
  EXPECT_THROW(observe_in(world, training), ApiError);
  training["metadata"]["deletionTimestamp"] = "2025-06-15T15:06:40Z";
  world.server.fail_next("GET", "/configmaps/theirs", 403, "Forbidden");
  EXPECT_TRUE(observe_in(world, training).situation.deleted);
}

TEST(Observation, HeedsTheRestOfARefusedSpec) {
  for (const Json& refused : {Json({{"config", nullptr}, {"configFrom", {{"name", "absent"}}}}),
                              Json({{"config", {{"training", {{"bach", 8}}}}}}),
                              Json({{"nodeProfile", "of another version"}})}) {
    World world;
    Json training = make_training({{"suspend", true},
                                   {"restartPolicy", {{"maxRestarts", 3}}},
                                   {"checkpointDeadlineSeconds", 7},
                                   {"schedulingDeadlineSeconds", 8},
                                   {"progressDeadlineSeconds", 9},
                                   {"ttlSecondsAfterFinished", 10}});
    training["spec"].merge_patch(refused);
    const Situation s = observe_in(world, training).situation;
    EXPECT_NE(s.problem, "");
    EXPECT_TRUE(s.has_spec);
    EXPECT_TRUE(s.suspend) << s.problem;
    EXPECT_EQ(s.restart.max_restarts, 3);
    EXPECT_EQ(s.checkpoint_deadline, std::chrono::seconds(7));
    EXPECT_EQ(s.scheduling_deadline, std::chrono::seconds(8));
    EXPECT_EQ(s.progress_deadline, std::chrono::seconds(9));
    EXPECT_EQ(s.ttl, std::chrono::seconds(10));
    EXPECT_EQ(s.request, "");
    EXPECT_EQ(s.hash, "");
  }
}

TEST(Observation, FindsNoCheckpointWithoutStorage) {
  World world;
  Json training = make_training();
  training["status"]["lastCheckpoint"]["name"] = "kimg-000200";
  EXPECT_EQ(observe_in(world, training).situation.checkpoint, "") << "it went with the pods";
  training["spec"]["storage"]["claimName"] = "runs";
  EXPECT_EQ(observe_in(world, training).situation.checkpoint, "kimg-000200");
}

Json with_attempt(int number, AttemptState state) {
  Json training = make_training();
  Record record;
  record.attempt = number;
  record.state = state;
  write_record(record, training["status"]);
  return training;
}

TEST(Observation, SeesPodsOfOtherAttemptsWhileTheyMayWrite) {
  World world;
  const Json training = with_attempt(2, AttemptState::kEnded);
  Json pod = make_pod("faces-r1-worker-0", "worker", 1, "Running");
  world.server.put(resource::kPods, pod);
  EXPECT_TRUE(observe_in(world, training).situation.others);
  pod["status"]["phase"] = "Succeeded";
  world.server.put(resource::kPods, pod);
  EXPECT_FALSE(observe_in(world, training).situation.others);
  pod["status"]["phase"] = "Running";
  pod["metadata"]["deletionTimestamp"] = format_time(world.now + std::chrono::seconds(30));
  pod["metadata"]["finalizers"] = Json::array({"slow"});
  world.server.put(resource::kPods, pod);
  EXPECT_TRUE(observe_in(world, training).situation.others) << "its grace is not over";
  world.now += std::chrono::seconds(60);
  EXPECT_TRUE(observe_in(world, training).situation.others) << "its node may be cut off";
  pod["status"]["phase"] = "Failed";
  world.server.put(resource::kPods, pod);
  EXPECT_FALSE(observe_in(world, training).situation.others) << "its node was deleted";
}

// `kubectl debug --copy-to` makes such a pod, with --keep-labels also with the attempt's.
TEST(Observation, DoesNotTakeAPodForItsOwnThatMerelyHasTheLabels) {
  World world;
  world.run();
  for (const int attempt : {0, 1}) {
    Json copy = make_pod("copy-" + std::to_string(attempt), "worker", attempt, "Running");
    copy["metadata"].erase("ownerReferences");
    copy["metadata"]["creationTimestamp"] = "2025-06-15T16:00:00Z";
    world.server.put(resource::kPods, copy);
  }
  world.server.put(resource::kPods, make_pod("faces-r1-launcher-x", "launcher", 1, "Running"));
  const Situation running = observe_in(world, world.training()).situation;
  EXPECT_FALSE(running.others);
  ASSERT_TRUE(running.attempt);
  EXPECT_EQ(running.attempt->workers_running, 1);
  EXPECT_EQ(running.attempt->lost, "");
  world.server.remove(kMpiJobs, World::job_key(1));
  for (const char* name : {"faces-r1-worker-0", "faces-r1-launcher-x"}) {
    EXPECT_TRUE(observe_in(world, with_attempt(2, AttemptState::kEnded)).situation.others) << name;
    world.server.remove(resource::kPods, {"team", name});
  }
  EXPECT_FALSE(observe_in(world, with_attempt(2, AttemptState::kEnded)).situation.others);
}

TEST(Observation, NamesThePodWhoseNodeDoesNotConfirmItsEnd) {
  World world;
  Json pod = make_pod("faces-r1-worker-0", "worker", 1, "Running");
  pod["spec"]["nodeName"] = "dgx-3";
  pod["metadata"]["deletionTimestamp"] = format_time(world.now);
  pod["metadata"]["finalizers"] = Json::array({"slow"});
  world.server.put(resource::kPods, pod);
  const Json training = with_attempt(2, AttemptState::kEnded);
  EXPECT_EQ(observe_in(world, training).situation.stuck, "") << "it may be ending";
  world.now += std::chrono::seconds(30);
  EXPECT_EQ(
      observe_in(world, training).situation.stuck,
      "waiting for the end of faces-r1-worker-0, whose node does not confirm it: dgx-3; if the "
      "node is down, delete it or taint it "
      "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute");
}

TEST(Observation, NamesTheMpiJobWithoutAnOwnerWhosePodsItWaitsFor) {
  World world;
  world.server.put(resource::kPods, make_pod("faces-r1-worker-0", "worker", 1, "Running"));
  EXPECT_EQ(observe_in(world, make_training()).situation.stuck, "") << "it may be ending";
  world.server.put(kMpiJobs, {{"metadata",
                               {{"name", "faces-r1"},
                                {"namespace", "team"},
                                {"labels", {{kTrainingLabel, "faces"}, {kAttemptLabel, "1"}}}}}});
  const Situation s = observe_in(world, make_training()).situation;
  EXPECT_TRUE(s.others);
  EXPECT_EQ(s.stuck,
            "waiting for the end of faces-r1-worker-0, whose MPIJob no GanTraining owns: faces-r1; "
            "delete the MPIJob, or wait until it ends");
}

TEST(Observation, SeesPodsOfAnEndedAttemptWhoseMpiJobIsGone) {
  World world;
  world.server.put(resource::kPods, make_pod("faces-r2-worker-0", "worker", 2, "Running"));
  EXPECT_TRUE(observe_in(world, with_attempt(2, AttemptState::kEnded)).situation.others);
  EXPECT_FALSE(observe_in(world, with_attempt(2, AttemptState::kWanted)).situation.others)
      << "its MPIJob has been made, and is not seen yet";
}

TEST(Observation, RecognizesItsMpiJobsByTheirOwner) {
  World world;
  Json job = {
      {"metadata",
       {{"name", "faces-r2"},
        {"namespace", "team"},
        {"labels", {{kTrainingLabel, "faces"}, {kAttemptLabel, "2"}}},
        {"ownerReferences", Json::array({{{"uid", "an older training"}, {"controller", true}}})}}}};
  world.server.put(kMpiJobs, job);
  EXPECT_FALSE(observe_in(world, with_attempt(2, AttemptState::kLive)).situation.attempt);
  job["metadata"]["ownerReferences"][0]["uid"] = "u";
  world.server.put(kMpiJobs, job);
  EXPECT_TRUE(observe_in(world, with_attempt(2, AttemptState::kLive)).situation.attempt);
  EXPECT_TRUE(observe_in(world, with_attempt(3, AttemptState::kLive)).situation.others);
}

Json warning(const std::string& about, const std::string& note) {
  return {{"metadata", {{"name", about + ".1"}, {"namespace", "team"}}},
          {"type", "Warning"},
          {"regarding", {{"kind", "MPIJob"}, {"name", about}}},
          {"note", note}};
}

/// A training whose MPIJob was made a while ago, and which has no pods.
void run_without_pods(World& world, std::chrono::seconds age) {
  world.server.put(kTrainings, make_training());
  world.settle();
  world.server.edit(kMpiJobs, World::job_key(1),
                    {{"metadata", {{"creationTimestamp", format_time(world.now)}}}});
  world.now += age;
}

TEST(Observation, ReportsWhyThePodsOfAnAttemptAreRefused) {
  World world;
  run_without_pods(world, std::chrono::seconds(0));
  const std::string refusal =
      "pods \"faces-r1-worker-0\" is forbidden: exceeded quota: gpus, requested: cpu=2";
  world.server.put(resource::kEvents, warning("faces-r1", "worker pod created failed: " + refusal));
  world.settle();
  EXPECT_EQ(world.status()["reason"], "WaitsForNodes") << "it may yet come";
  EXPECT_EQ(world.server.count("GET", "/events?"), 0U);
  world.now += std::chrono::seconds(10);
  world.settle();
  EXPECT_EQ(world.status()["reason"], "QuotaExceeded");
  EXPECT_EQ(world.status()["message"], "0 of 1 workers running; " + refusal);
  EXPECT_GE(world.server.count("GET",
                               "/apis/events.k8s.io/v1/namespaces/team/events?limit=250&"
                               "fieldSelector=type%3DWarning%2Cregarding.kind%3DJob"),
            1U);
  const std::size_t before = world.writes();
  world.settle();
  EXPECT_EQ(world.writes(), before);
}

TEST(Observation, NeedsNoRightToReadEvents) {
  World world;
  run_without_pods(world, std::chrono::seconds(60));
  world.server.fail_next("GET", "/events?", 403, "Forbidden");
  world.settle();
  EXPECT_EQ(world.status()["reason"], "WaitsForNodes");
}

TEST(Observation, DoesNotAskForClaimsOfARunningAttempt) {
  World world;
  world.server.put(resource::kClaims, claim("runs"));
  world.run({{"storage", {{"claimName", "runs"}}}});
  const std::size_t before = world.server.count("GET", "/persistentvolumeclaims/");
  world.reconcile();
  EXPECT_EQ(world.server.count("GET", "/persistentvolumeclaims/"), before);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
