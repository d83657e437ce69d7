#include "gan_training/desired/avoided_nodes.h"

#include <gtest/gtest.h>

#include "gan_training/desired/mpi_job.h"
#include "unit/operator/gan_training/desired/make_plan.h"

namespace ganscale::controller::gan_training {
namespace {

/// Returns the terms of the node affinity of a worker, one of which a node must match.
Json terms_of(const Json& job, const char* role = "Worker") {
  const Json::json_pointer path(
      "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
  return job["spec"]["mpiReplicaSpecs"][role]["template"]["spec"].value(path, Json());
}

Json not_on(const std::string& node) {
  return {{"key", "metadata.name"}, {"operator", "NotIn"}, {"values", Json::array({node})}};
}

TEST(AvoidedNodes, GetNoWorker) {
  const Plan plan = make_plan();
  EXPECT_TRUE(terms_of(mpi_job(plan, {1, 0})).is_null());
  const Json job = mpi_job(plan, {2, 1}, {.always = {"dgx-3", "dgx-5"}});
  EXPECT_EQ(terms_of(job),
            Json::array({{{"matchFields", Json::array({not_on("dgx-3"), not_on("dgx-5")})}}}));
  EXPECT_TRUE(terms_of(job, "Launcher").is_null()) << "it needs no device";
  EXPECT_EQ(job["metadata"]["annotations"], mpi_job(plan, {1, 0})["metadata"]["annotations"])
      << "a training that runs does not start again when they may be had again";
}

TEST(AvoidedNodes, OfLastResortMayGetAWorkerIfThereAreNoOthers) {
  const Json job = mpi_job(make_plan(), {2, 1}, {.if_possible = {"dgx-3", "dgx-5"}});
  EXPECT_TRUE(terms_of(job).is_null());
  const Json::json_pointer path(
      "/spec/mpiReplicaSpecs/Worker/template/spec/affinity/nodeAffinity/"
      "preferredDuringSchedulingIgnoredDuringExecution");
  const Json both = {{"matchFields", Json::array({not_on("dgx-3"), not_on("dgx-5")})}};
  EXPECT_EQ(job.at(path), Json::array({{{"weight", 100}, {"preference", both}}}));
}

TEST(AvoidedNodes, AreAddedToTheAffinityOfAnOverlay) {
  Plan plan = make_plan();
  const Json rack = {{"key", "rack"}, {"operator", "In"}, {"values", Json::array({"7"})}};
  const Json terms = Json::array({{{"matchExpressions", Json::array({rack})}}, Json::object()});
  plan.spec.pod_template["worker"]["spec"]["affinity"]["nodeAffinity"]
                        ["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] =
      terms;
  const Json avoiding = terms_of(mpi_job(plan, {2, 1}, {.always = {"dgx-3"}}));
  ASSERT_EQ(avoiding.size(), 2U);
  EXPECT_EQ(avoiding[0]["matchExpressions"], Json::array({rack}));
  for (const Json& term : avoiding) EXPECT_EQ(term["matchFields"], Json::array({not_on("dgx-3")}));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
