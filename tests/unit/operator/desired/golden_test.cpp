// Pins every object of the samples. After a change that is meant:
//   for name in faces-dgx-a100 digits-cpu; do
//     ganscale-operator render -f operator-manifests/samples/$name.yaml >
//     tests/golden/operator/$name.yaml
//   done
#include <gtest/gtest.h>

#include "api/built_in.h"
#include "api/yaml.h"
#include "decide/validate.h"
#include "desired/config_map.h"
#include "desired/mpi_job.h"
#include "desired/network_policy.h"

namespace ganscale::controller {
namespace {

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, ObjectsOfTheSampleAreAsPinned) {
  const std::string folder = PROJECT_FOLDER;
  const std::string name = GetParam();
  const Json sample =
      read_yaml_file(folder + "/operator-manifests/samples/" + name + ".yaml").at(0);
  Checked checked = check_training(parse_training(sample), built_in_node_profiles(),
                                   WorkerSchema(built_in_worker_schema()), "");
  ASSERT_EQ(checked.problem, "");
  Plan& plan = checked.plan;
  plan.uid = "00000000-0000-0000-0000-000000000000";
  const std::vector<Json> objects{config_map(plan), control_secret(plan, "drawn by the operator"),
                                  network_policy(plan, "ganscale-system"), disruption_budget(plan),
                                  mpi_job(plan, 1, 0)};
  const auto pinned = read_yaml_file(folder + "/tests/golden/operator/" + name + ".yaml");
  ASSERT_EQ(objects.size(), pinned.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(objects[i], pinned[i]) << Json::diff(pinned[i], objects[i]).dump(1);
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, Golden, testing::Values("faces-dgx-a100", "digits-cpu"));

}  // namespace
}  // namespace ganscale::controller
