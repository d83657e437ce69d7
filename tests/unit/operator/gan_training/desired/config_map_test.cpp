#include "gan_training/desired/config_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

#include "object/yaml.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"
#include "unit/operator/gan_training/desired/make_plan.h"

namespace ganscale::controller::gan_training {
namespace {

TEST(ConfigMap, HoldsTheConfigurationAsTheWorkerReadsIt) {
  const Plan plan = make_plan();
  const Json map = config_map(plan);
  EXPECT_EQ(map["metadata"]["name"], "faces-settings");
  EXPECT_EQ(read_yaml(map["data"]["config.yaml"], "config.yaml").at(0), plan.config);
  EXPECT_FALSE(map["data"].contains("bind.sh"));
}

/// Runs the ranks' binding script with an nvidia-smi and a /sys of our own: `gpu` is near `cpus`.
std::string allowed_cpus(const std::string& cpus, int gpu = 1, int gpus_per_rank = 1) {
  Plan plan = make_plan();
  plan.profile.bind_to_gpu = true;
  plan.config["training"]["devices_per_process"] = gpus_per_rank;
  const TemporaryFolder folder;
  folder.write("bind.sh", config_map(plan)["data"]["bind.sh"].get<std::string>());
  const auto smi = folder.write("nvidia-smi", "#!/bin/sh\n[ \"$1\" = --id=" + std::to_string(gpu) +
                                                  " ] && echo 00000000:B7:00.0\n");
  std::filesystem::permissions(smi, std::filesystem::perms::owner_all);
  std::filesystem::create_directories(folder / "0000:b7:00.0");
  folder.write("0000:b7:00.0/local_cpulist", cpus + "\n");
  const std::string here = folder.path().string();
  return run_program("PATH=" + here + ":$PATH OMPI_COMM_WORLD_LOCAL_RANK=1 GANSCALE_PCI_DEVICES=" +
                     here + " sh " + here + "/bind.sh grep Cpus_allowed_list /proc/self/status")
      .output;
}

TEST(BindScript, RunsARankOnTheCpusNearItsGpu) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &allowed)) --last;
  // CPUs that this process may not use are left out.
  EXPECT_EQ(allowed_cpus(std::to_string(last) + ",1000-1020"),
            "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
}

TEST(BindScript, RunsARankOfTwoGpusOnTheCpusOfTheFirst) {
  EXPECT_THAT(allowed_cpus("0-1000", 2, 2), testing::Not(testing::HasSubstr("warning")));
}

TEST(BindScript, RunsARankAnywhereRatherThanNotAtAll) {
  EXPECT_THAT(allowed_cpus("1000"),
              testing::AllOf(testing::HasSubstr("warning: not bound to the CPUs of GPU 1"),
                             testing::HasSubstr("Cpus_allowed_list")));
}

}  // namespace
}  // namespace ganscale::controller::gan_training
