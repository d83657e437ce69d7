#include "gan_training/desired/purge_job.h"

#include <gtest/gtest.h>

#include "gan_training/desired/mpi_job.h"
#include "unit/operator/gan_training/desired/make_plan.h"

namespace ganscale::controller::gan_training {
namespace {

TEST(PurgeJob, DeletesTheRunFolderAlone) {
  const Json job = purge_job(make_plan());
  EXPECT_EQ(job["spec"]["template"]["spec"]["containers"][0]["command"],
            Json::array({"/bin/rm", "-rf", "/runs/faces"}));
}

TEST(PurgeJob, ComesToAnEndEvenIfItsPodNeverStarts) {
  EXPECT_EQ(purge_job(make_plan())["spec"]["activeDeadlineSeconds"], 3600);
}

TEST(PurgeJob, StaysUntilItsPodsAreGoneWhenItsTrainingGoes) {
  EXPECT_EQ(purge_job(make_plan())["metadata"]["finalizers"], Json::array({"foregroundDeletion"}));
}

TEST(PurgeJob, DoesNotWaitInTheQueueOfTheTraining) {
  Plan plan = make_plan();
  plan.spec.queue_name = "research";
  EXPECT_FALSE(purge_job(plan)["metadata"]["labels"].contains("kueue.x-k8s.io/queue-name"));
}

TEST(PurgeJob, HasTheRightsAndTheImageOfTheTrainingsOwnPods) {
  Plan plan = make_plan();
  plan.spec.image_pull_secrets = {"registry"};
  plan.spec.image_pull_policy = "Always";
  const auto same_as_launcher = [&](const char* pointer) {
    const Json::json_pointer path(pointer);
    const Json launcher =
        mpi_job(plan, {1, 0})["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"];
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
}  // namespace ganscale::controller::gan_training
