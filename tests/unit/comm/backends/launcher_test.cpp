#include "comm/backends/launcher.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace ganscale::comm {
namespace {

constexpr const char* kVariables[] = {"OMPI_COMM_WORLD_SIZE",
                                      "OMPI_COMM_WORLD_RANK",
                                      "OMPI_COMM_WORLD_LOCAL_SIZE",
                                      "OMPI_COMM_WORLD_LOCAL_RANK",
                                      "PMIX_RANK",
                                      "PMI_RANK",
                                      "PMI_SIZE",
                                      "SLURM_NTASKS"};

struct Launch {
  const char* name;
  std::map<std::string, std::string> environment;
  bool by_mpi;
  int rank;
  int world_size;
  int local_rank = 0;
  int local_size = 1;
};

class Launcher : public testing::TestWithParam<Launch> {
 protected:
  Launcher() {
    clear();
    for (const auto& [name, value] : GetParam().environment) {
      setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
    }
  }
  ~Launcher() override { clear(); }

 private:
  static void clear() {
    for (const char* name : kVariables) unsetenv(name);
  }
};

TEST_P(Launcher, IsKnownByItsEnvironment) {
  EXPECT_EQ(launched_by_mpi(), GetParam().by_mpi);
  EXPECT_EQ(launched_rank(), GetParam().rank);
  EXPECT_EQ(launched_world_size(), GetParam().world_size);
  EXPECT_EQ(launched_local_rank(), GetParam().local_rank);
  EXPECT_EQ(launched_local_size(), GetParam().local_size);
}

INSTANTIATE_TEST_SUITE_P(
    Each, Launcher,
    testing::Values(
        Launch{"None", {}, false, 0, 1},
        Launch{
            "OpenMpi4", {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}, true, 3, 4},
        Launch{"OpenMpi4OnTwoMachines",
               {{"OMPI_COMM_WORLD_SIZE", "4"},
                {"OMPI_COMM_WORLD_RANK", "3"},
                {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}},
               true,
               3,
               4,
               1,
               2},
        Launch{"OpenMpi5", {{"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_RANK", "1"}}, true, 1, 2},
        Launch{"Slurm", {{"PMIX_RANK", "5"}, {"SLURM_NTASKS", "8"}}, true, 5, 8},
        Launch{"Mpich", {{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}}, true, 1, 3},
        // A batch script of Slurm that starts the program itself is one process.
        Launch{"SlurmWithoutMpi", {{"SLURM_NTASKS", "8"}}, false, 0, 1},
        Launch{"NoNumber", {{"PMI_RANK", "0"}, {"PMI_SIZE", ""}}, true, 0, 1}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ganscale::comm
