#include "desired/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

#include "desired/config_map.h"
#include "desired/mpi_job.h"
#include "desired/network_policy.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace ganscale::controller {
namespace {

Plan make_plan() {
  Plan plan;
  plan.key = {"team", "faces"};
  plan.uid = "u";
  plan.spec.nodes = 2;
  plan.spec.image = "x";
  plan.spec.data = {"faces", "/data", ""};
  plan.spec.storage = {"runs", "/runs", ""};
  plan.profile.gpus = 8;
  plan.profile.ranks = 8;
  plan.config = worker_config(plan.spec, Json::object());
  return plan;
}

TEST(Plan, FillsInWhatOnlyTheOperatorKnows) {
  const Json config = make_plan().config;
  EXPECT_EQ(config["data"]["path"], "/data");
  EXPECT_EQ(config["telemetry"]["control_port"], 9401);
  EXPECT_EQ(config["telemetry"]["token_file"], "/etc/ganscale/control/token");
}

TEST(Plan, LeavesTheUsersOwnChoices) {
  TrainingSpec spec;
  spec.data.claim_name = "faces";
  spec.evaluation = {{"every_kimg", 100}};
  const Json config = worker_config(
      spec,
      Json::parse(
          R"({"data": {"path": "/data/sub"}, "telemetry": {"control_port": 7000, "metrics_port": -1}})"));
  EXPECT_EQ(config["data"]["path"], "/data/sub");
  EXPECT_EQ(control_port(config), 7000);
  EXPECT_EQ(metrics_port(config), 0);
  EXPECT_EQ(config["evaluate"]["every_kimg"], 100);
}

TEST(PlanHash, ChangesWithWhatThePodsAreMadeOfAlone) {
  const Plan plan = make_plan();
  const std::string hash = plan_hash(plan);
  Plan other = plan;
  other.spec.suspend = true;
  other.spec.restart.max_restarts = 1;
  EXPECT_EQ(plan_hash(other), hash);
  EXPECT_EQ(mpi_job(plan, 1, 0)["metadata"]["annotations"],
            mpi_job(plan, 5, 3)["metadata"]["annotations"]);
  other.spec.nodes = 4;
  EXPECT_NE(plan_hash(other), hash);
  EXPECT_EQ(config_hash(other), config_hash(plan));
  other = plan;
  other.config["training"]["batch"] = 32;
  EXPECT_NE(plan_hash(other), hash);
  EXPECT_NE(config_hash(other), config_hash(plan));
}

TEST(MpiJob, TellsRanksAndRestartsAndIsNamedByAttempt) {
  const Json job = mpi_job(make_plan(), 7, 3);
  EXPECT_EQ(job["metadata"]["name"], "faces-r7");
  EXPECT_EQ(job["spec"]["slotsPerWorker"], 8);
  EXPECT_EQ(job["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"], 2);
  std::map<std::string, std::string> environment;
  const Json& worker =
      job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0];
  for (const Json& variable : worker["env"]) environment[variable["name"]] = variable["value"];
  EXPECT_EQ(environment["GANSCALE_EXPECTED_WORLD_SIZE"], "16");
  EXPECT_EQ(environment["GANSCALE_RESTARTS"], "3");
}

TEST(MpiJob, MountsDataReadOnly) {
  const Json job = mpi_job(make_plan(), 1, 0);
  const Json& pod = job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"];
  for (const Json& mount : pod["containers"][0]["volumeMounts"]) {
    if (mount["name"] == "data") {
      EXPECT_EQ(mount["readOnly"], true);
    }
  }
}

TEST(MpiJob, RunsAsRootForRdmaAlone) {
  Plan plan = make_plan();
  const auto context = [&] {
    return mpi_job(plan, 1, 0)["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]
                              ["containers"][0]["securityContext"];
  };
  EXPECT_EQ(context()["runAsNonRoot"], true);
  EXPECT_EQ(context()["seccompProfile"]["type"], "RuntimeDefault");
  EXPECT_FALSE(context()["capabilities"].contains("add"));
  plan.profile.ipc_lock = true;
  EXPECT_EQ(context()["runAsUser"], 0);
}

TEST(MpiJob, HandsQueueGangAndPriorityOn) {
  Plan plan = make_plan();
  plan.spec.queue_name = "research";
  plan.spec.priority_class = "urgent";
  plan.spec.scheduler_name = "volcano";
  const Json job = mpi_job(plan, 1, 0);
  EXPECT_EQ(job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "research");
  // The launcher comes once the workers run: a gang that waited for it would never start.
  EXPECT_EQ(job["spec"]["runPolicy"]["schedulingPolicy"],
            Json({{"minAvailable", 2}, {"queue", "research"}, {"priorityClass", "urgent"}}));
  for (const char* role : {"Launcher", "Worker"}) {
    const Json& pod = job["spec"]["mpiReplicaSpecs"][role]["template"]["spec"];
    EXPECT_EQ(pod["priorityClassName"], "urgent");
    EXPECT_EQ(pod["schedulerName"], "volcano");
  }
  // Whether it is suspended is the queue's affair.
  EXPECT_FALSE(job["spec"]["runPolicy"].contains("suspend"));
}

/// Runs the ranks' binding script with an nvidia-smi and a /sys of our own: GPU 1 is beside `cpus`.
std::string allowed_cpus(const std::string& cpus) {
  Plan plan = make_plan();
  plan.profile.bind_to_gpu = true;
  const TemporaryFolder folder;
  folder.write("bind.sh", config_map(plan)["data"]["bind.sh"].get<std::string>());
  const auto smi =
      folder.write("nvidia-smi", "#!/bin/sh\n[ \"$1\" = --id=1 ] && echo 00000000:B7:00.0\n");
  std::filesystem::permissions(smi, std::filesystem::perms::owner_all);
  std::filesystem::create_directories(folder / "0000:b7:00.0");
  folder.write("0000:b7:00.0/local_cpulist", cpus + "\n");
  const std::string here = folder.path().string();
  return run_program("PATH=" + here + ":$PATH OMPI_COMM_WORLD_LOCAL_RANK=1 GANSCALE_PCI_DEVICES=" +
                     here + " sh " + here + "/bind.sh grep Cpus_allowed_list /proc/self/status")
      .output;
}

TEST(BindScript, RunsARankOnTheCpusBesideItsGpu) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &allowed)) --last;
  // CPUs that this process may not use are left out.
  EXPECT_EQ(allowed_cpus(std::to_string(last) + ",1000-1020"),
            "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
}

TEST(BindScript, RunsARankAnywhereRatherThanNotAtAll) {
  EXPECT_THAT(allowed_cpus("1000"),
              testing::AllOf(testing::HasSubstr("warning: not bound to the CPUs of GPU 1"),
                             testing::HasSubstr("Cpus_allowed_list")));
}

TEST(MpiJob, StartsRanksThroughTheBindingScriptWhereTheProfileSaysSo) {
  Plan plan = make_plan();
  const auto arguments = [&] {
    return mpi_job(plan, 1, 0)["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]
                              ["containers"][0]["args"]
                                  .dump();
  };
  EXPECT_THAT(arguments(), testing::Not(testing::HasSubstr("bind.sh")));
  plan.profile.bind_to_gpu = true;
  EXPECT_THAT(arguments(),
              testing::HasSubstr(R"("/bin/sh","/etc/ganscale/run/bind.sh","ganscale","train")"));
}

/// Whether all labels that a selector names are there; an empty one fits everything.
bool fits(const Json& selector, const Json& labels) {
  const Json wanted = selector.value("matchLabels", Json::object());
  return std::ranges::all_of(wanted.items(), [&](const auto& label) {
    return label.value() == labels.value(label.key(), "");
  });
}

/// A pod that would connect to one of the namespace `team`.
struct Peer {
  std::string name_space;
  Json labels;
};

/// Returns the ports of a training's pod that a peer reaches, of those that something listens on,
/// as a CNI works them out of the policy. A rule without ports is for all; without a selector of
/// namespaces it is for pods of the policy's own.
std::vector<int> reached_by(const Peer& peer, const Json& policy) {
  const Json name_space = {{"kubernetes.io/metadata.name", peer.name_space}};
  std::vector<int> reached;
  for (const int port : {2222, 9400, 9401}) {
    const bool is_open = std::ranges::any_of(policy["spec"]["ingress"], [&](const Json& rule) {
      const Json one = Json::array({{{"protocol", "TCP"}, {"port", port}}});
      const bool has_port = !rule.contains("ports") || rule["ports"] == one;
      return has_port && std::ranges::any_of(rule["from"], [&](const Json& from) {
               const bool is_near = from.contains("namespaceSelector")
                                        ? fits(from["namespaceSelector"], name_space)
                                        : policy["metadata"]["namespace"] == peer.name_space;
               return is_near && fits(from.value("podSelector", Json::object()), peer.labels);
             });
    });
    if (is_open) reached.push_back(port);
  }
  return reached;
}

TEST(NetworkPolicy, LetsStrangersReachNothingButMetrics) {
  const Json policy = network_policy(make_plan(), "ops");
  const Json own = {{kTrainingLabel, "faces"}};
  using Ports = std::vector<int>;
  EXPECT_EQ(policy["spec"]["podSelector"]["matchLabels"], own);
  EXPECT_EQ(policy["spec"]["policyTypes"], Json::array({"Ingress"}));
  EXPECT_EQ(reached_by({"team", own}, policy), (Ports{2222, 9400, 9401}));
  EXPECT_EQ(reached_by({"ops", Json::object()}, policy), (Ports{9400, 9401}));
  EXPECT_EQ(reached_by({"elsewhere", Json::object()}, policy), Ports{9400});
  EXPECT_EQ(reached_by({"elsewhere", own}, policy), Ports{9400}) << "labels are anybody's";
  EXPECT_EQ(reached_by({"team", {{kTrainingLabel, "digits"}}}, policy), Ports{9400});
}

TEST(PurgeJob, DeletesTheRunFolderAlone) {
  const Json job = purge_job(make_plan());
  EXPECT_EQ(job["spec"]["template"]["spec"]["containers"][0]["command"],
            Json::array({"/bin/rm", "-rf", "/runs/faces"}));
}

TEST(PurgeJob, ComesToAnEndEvenIfItsPodNeverStarts) {
  EXPECT_EQ(purge_job(make_plan())["spec"]["activeDeadlineSeconds"], 3600);
}

TEST(PurgeJob, HasTheRightsAndTheImageOfTheTrainingsOwnPods) {
  Plan plan = make_plan();
  plan.spec.image_pull_secrets = {"registry"};
  plan.spec.image_pull_policy = "Always";
  const auto same_as_launcher = [&](const char* pointer) {
    const Json::json_pointer path(pointer);
    const Json launcher =
        mpi_job(plan, 1, 0)["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"];
    EXPECT_EQ(purge_job(plan)["spec"]["template"]["spec"].at(path), launcher.at(path)) << pointer;
  };
  for (const char* pointer :
       {"/containers/0/image", "/containers/0/imagePullPolicy", "/containers/0/securityContext",
        "/securityContext", "/imagePullSecrets", "/automountServiceAccountToken"}) {
    same_as_launcher(pointer);
  }
  plan.profile.ipc_lock = true;
  same_as_launcher("/containers/0/securityContext/runAsUser");
  // As root it also deletes what another profile's user 1000 wrote.
  EXPECT_EQ(
      purge_job(
          plan)["spec"]["template"]["spec"]["containers"][0]["securityContext"]["capabilities"],
      Json({{"drop", Json::array({"ALL"})}, {"add", Json::array({"DAC_OVERRIDE"})}}));
}

}  // namespace
}  // namespace ganscale::controller
