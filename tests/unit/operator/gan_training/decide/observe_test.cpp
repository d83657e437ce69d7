#include "gan_training/decide/observe.h"

#include <gtest/gtest.h>

namespace ganscale::controller::gan_training {
namespace {

Json job(const std::string& condition) {
  return Json::parse(
      R"({"metadata": {"name": "a-r2", "uid": "u", "labels": {"ganscale.dev/attempt": "2"},
      "annotations": {"ganscale.dev/request": "2", "ganscale.dev/spec-hash": "h", "ganscale.dev/config-hash": "c"}},
      "spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 2}}},
      "status": {"conditions": [{"type": ")" +
      condition + R"(", "status": "True", "message": "why"}]}})");
}

Json pod(const std::string& name, const std::string& created, const std::string& status) {
  const bool is_launcher = name.find("launcher") != std::string::npos;
  return {{"metadata",
           {{"name", name},
            {"creationTimestamp", "2026-01-01T00:00:" + created + "Z"},
            {"labels",
             {{"ganscale.dev/role", is_launcher ? "launcher" : "worker"},
              {"ganscale.dev/attempt", "2"}}}}},
          {"status", Json::parse(status)}};
}

constexpr auto kRunning = R"({"phase": "Running", "podIP": "10.0.0.7"})";

TEST(Observe, ReadsARunningAttempt) {
  const Attempt attempt = observe_attempt(
      job("Running"), {pod("a-r2-worker-0", "01", kRunning), pod("a-r2-worker-1", "01", kRunning),
                       pod("a-r2-launcher-x", "05", kRunning)});
  EXPECT_EQ(attempt.number, 2);
  EXPECT_EQ(attempt.phase, JobPhase::kRunning);
  EXPECT_EQ(attempt.workers_running, 2);
  EXPECT_EQ(attempt.nodes, 2);
  EXPECT_EQ(attempt.rank0_address, "10.0.0.7");
  EXPECT_EQ(attempt.lost, "");
  EXPECT_EQ(attempt.request, "2");
  EXPECT_EQ(attempt.hash, "h");
}

TEST(Observe, ReportsTheNodesAndTheImageOfTheWorkers) {
  Json first = pod("a-r2-worker-0", "01", kRunning);
  first["spec"]["nodeName"] = "dgx-3";
  first["status"]["containerStatuses"] =
      Json::parse(R"([{"name": "dcgm", "imageID": "y@sha256:2", "state": {"terminated": {}}},
                      {"name": "worker", "imageID": "x@sha256:1"}])");
  Json second = pod("a-r2-worker-1", "01", R"({"phase": "Pending"})");
  second["spec"]["nodeName"] = "dgx-4";
  const Attempt attempt = observe_attempt(job("Running"), {essential_pod(first), second});
  EXPECT_EQ(attempt.node_names, std::vector<std::string>{"dgx-3"});
  EXPECT_EQ(attempt.image_id, "x@sha256:1");
}

TEST(Observe, ReadsTheControlPortOfTheAttemptsOwnWorkers) {
  Json made = job("Running");
  EXPECT_EQ(observe_attempt(made, {}).control_port, 0);
  made["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"] = Json::parse(
      R"([{"name": "dcgm", "ports": [{"name": "control", "containerPort": 1}]},
          {"name": "worker", "ports": [{"name": "ssh", "containerPort": 2222},
                                       {"name": "control", "containerPort": 9500}]}])");
  EXPECT_EQ(observe_attempt(made, {}).control_port, 9500);
}

TEST(Observe, FindsTheExitCodeAndTheWorkersOwnWords) {
  const Attempt attempt = observe_attempt(
      job("Failed"),
      {pod("a-r2-launcher-x", "05", R"({"phase": "Failed", "containerStatuses": [{"state":
          {"terminated": {"exitCode": 78, "message": "x\nganscale: error: run.yaml:3: bad\nmpirun: y\n"}}}]})")});
  EXPECT_EQ(attempt.phase, JobPhase::kFailed);
  EXPECT_EQ(attempt.exit_code, 78);
  EXPECT_EQ(attempt.message, "run.yaml:3: bad");
}

/// A worker on a node of its own, dgx-INDEX.
Json worker_on_node(int index) {
  Json worker = pod("a-r2-worker-" + std::to_string(index), "01", kRunning);
  worker["spec"]["nodeName"] = "dgx-" + std::to_string(index);
  return worker;
}

/// An attempt of eight ranks a node whose launcher ended with a code and these words.
Attempt ended(int nodes, int code, const std::string& words) {
  Json made = job("Failed");
  made["spec"]["slotsPerWorker"] = 8;
  made["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] = nodes;
  Json launcher = pod("a-r2-launcher-x", "05", R"({"phase": "Failed"})");
  launcher["status"]["containerStatuses"] =
      Json::array({{{"state", {{"terminated", {{"exitCode", code}, {"message", words}}}}}}});
  return observe_attempt(made, {worker_on_node(0), worker_on_node(1), launcher});
}

TEST(Observe, FindsTheNodeWhoseDeviceFailed) {
  const auto failed_nodes = [](int nodes, int code, const std::string& words) {
    return ended(nodes, code, words).failed_nodes;
  };
  using Nodes = std::vector<std::string>;
  EXPECT_EQ(failed_nodes(2, 71, "ganscale: error: [rank 9] ECC error\nmpirun: ended"),
            Nodes{"dgx-1"});
  EXPECT_EQ(failed_nodes(2, 71, "ganscale: error: no GPU"), Nodes{"dgx-0"})
      << "rank 0 is not named";
  EXPECT_EQ(failed_nodes(2, 71, "mpirun: ended"), Nodes{}) << "unknown";
  EXPECT_EQ(failed_nodes(1, 71, "mpirun: ended"), Nodes{"dgx-0"}) << "there is but one";
  EXPECT_EQ(failed_nodes(2, 75, "ganscale: error: [rank 9] lost a peer"), Nodes{});
}

TEST(Observe, FindsTheNodesThatAPreflightNames) {
  const std::string words =
      "rank 0\nganscale: preflight: " +
      to_json(wire::Preflight{.gigabytes_per_second = 9,
                              .faulty_nodes = {{"a-r2-worker-1", 8, "9 GB/s"}},
                              .message = "slow"})
          .dump() +
      "\nganscale: error: slow\n";
  const Attempt attempt = ended(2, 69, words);
  EXPECT_EQ(attempt.failed_nodes, std::vector<std::string>{"dgx-1"});
  EXPECT_EQ(attempt.preflight->gigabytes_per_second, 9);
  EXPECT_EQ(attempt.message, "slow");
  EXPECT_TRUE(ended(2, 0, words).failed_nodes.empty());
  const Attempt cut = ended(2, 69, words.substr(0, 60));
  EXPECT_FALSE(cut.preflight);
  EXPECT_TRUE(cut.failed_nodes.empty());
}

TEST(Observe, ReadsTheStatusThatATrainingLeft) {
  const auto ended = [](int code, const std::string& message) {
    Json launcher = pod("a-r2-launcher-x", "05", R"({"phase": "Succeeded"})");
    launcher["status"]["containerStatuses"] =
        Json::array({{{"state", {{"terminated", {{"exitCode", code}, {"message", message}}}}}}});
    return observe_attempt(job("Succeeded"), {launcher});
  };
  const Attempt done = ended(0, R"({"state": "done", "images_seen": 4608, "total_images": 4600})");
  ASSERT_TRUE(done.last_status);
  EXPECT_EQ(done.last_status->images_seen, 4608);
  const Attempt stopped = ended(143, R"({"state": "done", "images_seen": 64})");
  EXPECT_EQ(stopped.exit_code, 143);
  EXPECT_EQ(stopped.message, "");
  EXPECT_EQ(stopped.last_status->images_seen, 64);
  EXPECT_FALSE(ended(0, "").last_status);
  EXPECT_FALSE(ended(75, "ganscale: error: lost").last_status);
}

TEST(Observe, MissesNoPodOfAJobThatItsQueueHoldsBack) {
  Json held = job("Running");
  held["spec"]["runPolicy"]["suspend"] = true;
  Json going = pod("w", "01", kRunning);
  going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:09Z";
  const Attempt attempt = observe_attempt(held, {going});
  EXPECT_EQ(attempt.phase, JobPhase::kQueued);
  EXPECT_TRUE(attempt.suspended);
  EXPECT_EQ(attempt.lost, "");
}

TEST(Observe, SeesLostWorkers) {
  const auto lost = [](const Json& worker) {
    return observe_attempt(job("Running"), {worker, pod("a-r2-launcher-x", "05", kRunning)}).lost;
  };
  EXPECT_EQ(lost(pod("w", "01", R"({"phase": "Failed"})")), "w: failed");
  EXPECT_EQ(lost(pod("w", "01", R"({"phase": "Failed", "reason": "Evicted"})")), "w: Evicted");
  EXPECT_EQ(lost(pod("w", "09", kRunning)), "w: replaced");
  EXPECT_EQ(lost(pod("w", "05", kRunning)), "");  // of the launcher's second
  Json going = pod("w", "01", kRunning);
  going["metadata"]["deletionTimestamp"] = "2026-01-01T00:01:00Z";
  EXPECT_EQ(lost(going), "w: deleted");
  EXPECT_EQ(lost(pod("w", "01", kRunning)), "");
  // Once the job is over, its workers are deleted in good order.
  EXPECT_EQ(observe_attempt(job("Succeeded"), {going}).lost, "");
}

TEST(Observe, SeesALauncherThatWasCutOff) {
  const auto lost = [](int code, const std::string& reason) {
    Json launcher = pod("l-launcher", "05", R"({"phase": "Failed"})");
    launcher["status"]["containerStatuses"] =
        Json::array({{{"state", {{"terminated", {{"exitCode", code}, {"reason", reason}}}}}}});
    return observe_attempt(job("Failed"), {essential_pod(launcher)}).lost;
  };
  const std::string unseen = ": its end was not observed; its node may have restarted";
  EXPECT_EQ(lost(255, "Unknown"), "l-launcher: Unknown" + unseen) << "as containerd tells it";
  EXPECT_EQ(lost(137, "ContainerStatusUnknown"), "l-launcher: ContainerStatusUnknown" + unseen);
  EXPECT_EQ(lost(137, "OOMKilled"),
            "l-launcher: OOMKilled: its container reached its memory limit; raise "
            "spec.podTemplate.launcher.spec.containers[launcher].resources.limits.memory");
  EXPECT_EQ(lost(137, "Error"), "") << "mpirun itself was killed";
  EXPECT_EQ(lost(0, "OOMKilled"), "") << "it has done its work";
}

TEST(Observe, ReportsWhyAPodDoesNotRun) {
  const auto waits = [](const std::string& status) {
    const Attempt attempt =
        observe_attempt(job("Created"), {essential_pod(pod("w", "01", status))});
    return attempt.waits_reason + "|" + attempt.waits;
  };
  EXPECT_EQ(waits(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
      "reason": "Unschedulable", "message": "0/8 nodes are available"}]})"),
            "Unschedulable|w: Unschedulable: 0/8 nodes are available");
  for (const char* reason : {"ErrImagePull", "ImagePullBackOff"}) {
    EXPECT_EQ(waits(R"({"phase": "Pending", "containerStatuses": [{"name": "worker", "image": "x:y",
        "state": {"waiting": {"reason": ")" +
                    std::string(reason) + R"(", "message": "changes"}}}]})"),
              "ImagePullBackOff|w: ImagePullBackOff: x:y");
  }
  EXPECT_EQ(waits(R"({"phase": "Pending", "initContainerStatuses": [{"name": "i", "state":
      {"waiting": {"reason": "CreateContainerConfigError", "message": "no such secret"}}}]})"),
            "CreateContainerConfigError|w: CreateContainerConfigError: no such secret");
  EXPECT_EQ(waits(R"({"phase": "Pending", "containerStatuses": [{"name": "worker",
      "state": {"waiting": {"reason": "ContainerCreating"}}}]})"),
            "|");
}

TEST(Observe, SeesThatPodsAreNotThere) {
  const auto lacks = [](const std::vector<Json>& pods) {
    return observe_attempt(job("Created"), pods).lacks_pods;
  };
  const Json launcher = pod("a-r2-launcher-x", "05", kRunning);
  const Json first = pod("a-r2-worker-0", "01", kRunning);
  const Json second = pod("a-r2-worker-1", "01", kRunning);
  const Json pending = pod("a-r2-worker-1", "01", R"({"phase": "Pending"})");
  EXPECT_TRUE(lacks({first}));
  EXPECT_TRUE(lacks({first, launcher}));
  EXPECT_TRUE(lacks({first, second})) << "the launcher";
  EXPECT_FALSE(lacks({first, second, launcher}));
  EXPECT_FALSE(lacks({first, pending})) << "a launcher comes last";
}

TEST(Observe, EndsWithItsLauncherBeforeTheMpiJobSaysSo) {
  const auto phase = [](const std::string& pod_phase, int code, bool suspended) {
    Json made = job("Running");
    made["spec"]["runPolicy"]["suspend"] = suspended;
    Json launcher = pod("a-r2-launcher-x", "05", R"({"phase": ")" + pod_phase + R"("})");
    launcher["status"]["containerStatuses"] =
        Json::array({{{"state", {{"terminated", {{"exitCode", code}}}}}}});
    return observe_attempt(made, {launcher}).phase;
  };
  EXPECT_EQ(phase("Failed", 65, false), JobPhase::kFailed);
  EXPECT_EQ(phase("Succeeded", 0, false), JobPhase::kSucceeded);
  EXPECT_EQ(phase("Running", 0, false), JobPhase::kRunning) << "the pod has not ended";
  EXPECT_EQ(phase("Failed", 143, true), JobPhase::kQueued) << "its queue ended it";
}

TEST(Observe, ReturnsSinceWhenAnAttemptMayBeScheduled) {
  Json made = job("Created");
  made["metadata"]["creationTimestamp"] = "2025-06-15T15:00:00Z";
  EXPECT_EQ(observe_attempt(made, {}).started, parse_time("2025-06-15T15:00:00Z"));
  made["status"]["startTime"] = "2025-06-15T16:00:00Z";  // its queue admitted it then
  EXPECT_EQ(observe_attempt(made, {}).started, parse_time("2025-06-15T16:00:00Z"));
}

TEST(Observe, DistinguishesDisruptionsFromFailuresOfThePods) {
  const auto is_disrupted = [](const std::string& status) {
    return observe_attempt(job("Running"), {essential_pod(pod("w", "01", status))}).disrupted;
  };
  EXPECT_TRUE(is_disrupted(R"({"phase": "Running", "conditions": [{"type": "DisruptionTarget",
      "status": "True", "reason": "EvictionByEvictionAPI"}]})"));
  EXPECT_TRUE(is_disrupted(R"({"phase": "Failed", "reason": "NodeLost"})"));
  EXPECT_FALSE(is_disrupted(R"({"phase": "Failed", "reason": "Evicted"})"))
      << "it used more of the disk than it may";
  EXPECT_FALSE(is_disrupted(kRunning));
}

constexpr auto kEvicted = R"({"phase": "Running", "conditions": [{"type": "DisruptionTarget",
    "status": "True", "reason": "EvictionByEvictionAPI", "message": "evicting"}]})";

TEST(Observe, DistinguishesALeavingPodFromALostOne) {
  Json worker = pod("w", "01", kEvicted);
  worker["metadata"]["deletionTimestamp"] = "2026-01-01T00:01:00Z";  // it has its grace
  const Attempt leaving = observe_attempt(job("Running"), {worker});
  EXPECT_EQ(leaving.leaving, "w: disrupted: evicting");
  EXPECT_EQ(leaving.lost, "");
  worker["status"]["phase"] = "Failed";
  const Attempt gone = observe_attempt(job("Running"), {worker});
  EXPECT_EQ(gone.leaving, "");
  EXPECT_EQ(gone.lost, "w: disrupted: evicting");
}

TEST(Observe, SeesThatANodeOfTheAttemptIsCordoned) {
  Json worker = pod("w", "01", kRunning);
  worker["spec"]["nodeName"] = "dgx-3";
  Json ended = pod("e", "01", R"({"phase": "Succeeded"})");
  ended["spec"]["nodeName"] = "dgx-4";
  const auto leaving = [&](const std::string& cordoned) {
    Attempt attempt;
    observe_cordons(
        job("Running"), {ended, pod("unscheduled", "01", R"({"phase": "Pending"})"), worker},
        [&](const std::string& node) { return node == cordoned; }, attempt);
    EXPECT_EQ(attempt.disrupted, !attempt.leaving.empty()) << "a drain is not a failure";
    return attempt.leaving;
  };
  EXPECT_EQ(leaving("dgx-3"), "w: its node is cordoned: dgx-3");
  EXPECT_EQ(leaving("dgx-4"), "");
  EXPECT_EQ(leaving("dgx-5"), "");
}

TEST(Observe, LeavesPodsOnACordonedNodeThatTheirMpiJobLetsThemTolerate) {
  const auto stays = [](const std::string& name, const std::string& role, const Json& tolerations) {
    Json made = job("Running");
    made["spec"]["mpiReplicaSpecs"][role]["template"]["spec"]["tolerations"] = tolerations;
    Json placed = pod(name, "01", kRunning);
    placed["spec"]["nodeName"] = "dgx-3";
    Attempt attempt;
    observe_cordons(made, {placed}, [](const std::string&) { return true; }, attempt);
    return attempt.leaving.empty();
  };
  const Json none = Json::array({{{"key", "team"}}, {{"effect", "NoExecute"}}});
  const Json all = Json::array({{{"operator", "Exists"}}});
  const Json cordon =
      Json::array({{{"key", "node.kubernetes.io/unschedulable"}, {"effect", "NoSchedule"}}});
  EXPECT_FALSE(stays("worker", "Worker", none));
  EXPECT_TRUE(stays("worker", "Worker", all));
  EXPECT_TRUE(stays("worker", "Worker", cordon));
  EXPECT_FALSE(stays("worker", "Launcher", cordon));
  EXPECT_TRUE(stays("launcher", "Launcher", cordon));
}

TEST(Observe, KeepsOnlyTheFieldsOfAPodThatItReads) {
  Json whole =
      pod("a-r2-launcher-x", "05", R"({"phase": "Failed", "reason": "Evicted", "conditions":
      [{"type": "Ready", "status": "False"}], "containerStatuses": [{"image": "long", "state":
      {"terminated": {"exitCode": 75, "message": "lost"}}}]})");
  whole["spec"] = {{"containers", Json::array({{{"name", "x"}}})}};
  const Json kept = essential_pod(whole);
  EXPECT_FALSE(kept.contains("spec"));
  const Attempt a = observe_attempt(job("Failed"), {whole});
  const Attempt b = observe_attempt(job("Failed"), {kept});
  EXPECT_EQ(a.exit_code, b.exit_code);
  EXPECT_EQ(a.lost, b.lost);
  EXPECT_EQ(a.message, b.message);
}

TEST(Observe, TellsThePodsOfJobsFromOthers) {
  const auto is_ours = [](const std::string& kind, bool controls) {
    Json owned = pod("w", "01", kRunning);
    owned["metadata"]["ownerReferences"] =
        Json::array({{{"kind", "Node"}}, {{"kind", kind}, {"controller", controls}}});
    return is_of_job(essential_pod(owned));
  };
  EXPECT_TRUE(is_ours("MPIJob", true));
  EXPECT_TRUE(is_ours("Job", true)) << "a launcher's";
  EXPECT_FALSE(is_ours("MPIJob", false));
  EXPECT_FALSE(is_ours("ReplicaSet", true));
  EXPECT_FALSE(is_of_job(pod("w", "01", kRunning)));
}

TEST(Observe, TakesTheLastLineWhereThereIsNoErrorLine) {
  EXPECT_EQ(worker_error("a\nmpirun: lost a daemon\n\n"), "mpirun: lost a daemon");
  EXPECT_EQ(worker_error("only"), "only");
  EXPECT_EQ(worker_error("\n"), "");
}

}  // namespace
}  // namespace ganscale::controller::gan_training
