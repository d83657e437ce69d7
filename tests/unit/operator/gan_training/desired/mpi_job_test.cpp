#include "gan_training/desired/mpi_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/gan_training/desired/make_plan.h"

namespace ganscale::controller::gan_training {
namespace {

TEST(PlanHash, ChangesOnlyWithTheContentOfThePods) {
  const Plan plan = make_plan();
  const std::string hash = plan_hash(plan);
  Plan other = plan;
  other.spec.suspend = true;
  other.spec.restart.max_restarts = 1;
  EXPECT_EQ(plan_hash(other), hash);
  EXPECT_EQ(mpi_job(plan, {1, 0})["metadata"]["annotations"],
            mpi_job(plan, {5, 3})["metadata"]["annotations"]);
  other.spec.nodes = 4;
  EXPECT_NE(plan_hash(other), hash);
  EXPECT_EQ(config_hash(other), config_hash(plan));
  other = plan;
  other.config["training"]["batch"] = 32;
  EXPECT_NE(plan_hash(other), hash);
  EXPECT_NE(config_hash(other), config_hash(plan));
}

TEST(MpiJob, CarriesRanksAndRestartsAndIsNamedByAttempt) {
  const Json job = mpi_job(make_plan(), {7, 3});
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
  const Json job = mpi_job(make_plan(), {1, 0});
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
    return mpi_job(plan, {1, 0})["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]
                                ["containers"][0]["securityContext"];
  };
  EXPECT_EQ(context()["runAsNonRoot"], true);
  EXPECT_EQ(context()["seccompProfile"]["type"], "RuntimeDefault");
  EXPECT_FALSE(context()["capabilities"].contains("add"));
  plan.profile.ipc_lock = true;
  EXPECT_EQ(context()["runAsUser"], 0);
  EXPECT_EQ(context()["seccompProfile"]["type"], "RuntimeDefault");
}

TEST(MpiJob, PassesQueueGangAndPriorityOn) {
  Plan plan = make_plan();
  plan.spec.queue_name = "research";
  plan.spec.priority_class = "urgent";
  plan.spec.scheduler_name = "volcano";
  plan.queue_labels["kueue.x-k8s.io/priority-class"] = "high";
  const Json job = mpi_job(plan, {1, 0});
  EXPECT_EQ(job["metadata"]["labels"]["kueue.x-k8s.io/priority-class"], "high");
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

TEST(MpiJob, StartsRanksThroughTheBindingScriptIfTheProfileSaysSo) {
  Plan plan = make_plan();
  const auto arguments = [&] {
    return mpi_job(plan, {1, 0})["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]
                                ["containers"][0]["args"]
                                    .dump();
  };
  EXPECT_THAT(arguments(), testing::Not(testing::HasSubstr("bind.sh")));
  plan.profile.bind_to_gpu = true;
  EXPECT_THAT(arguments(),
              testing::HasSubstr(R"("/bin/sh","/etc/ganscale/run/bind.sh","ganscale","train")"));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
