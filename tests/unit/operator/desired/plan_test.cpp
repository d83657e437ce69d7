#include "desired/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

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

TEST(NetworkPolicy, LetsTheOperatorAloneReachTheControlPort) {
  const Json ingress = network_policy(make_plan(), "ops")["spec"]["ingress"];
  ASSERT_EQ(ingress.size(), 3U);
  EXPECT_EQ(ingress[1]["ports"][0]["port"], 9401);
  EXPECT_EQ(
      ingress[1]["from"][0]["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"],
      "ops");
}

TEST(PurgeJob, DeletesTheRunFolderAlone) {
  const Json job = purge_job(make_plan());
  EXPECT_EQ(job["spec"]["template"]["spec"]["containers"][0]["command"],
            Json::array({"/bin/rm", "-rf", "/runs/faces"}));
}

}  // namespace
}  // namespace ganscale::controller
