#include "cli/launch/mpirun_command.h"

#include <optional>

#include "support/expect_error.h"

namespace ganscale::cli {
namespace {

using testing::ElementsAre;

TEST(RanksOf, AreOnePerGpu) { EXPECT_EQ(ranks_of({}, {.gpus = 8, .cores = 96}), 8); }

TEST(RanksOf, AreUpToFourOnCores) {
  for (const auto& [cores, ranks] :
       {std::pair(1, 1), std::pair(2, 2), std::pair(3, 2), std::pair(6, 4), std::pair(64, 4)})
    EXPECT_EQ(ranks_of({}, {.cores = cores}), ranks) << cores;
}

TEST(RanksOf, AreAsRequested) {
  EXPECT_EQ(ranks_of({.ranks = 3}, {.cores = 4}), 3);
  EXPECT_EQ(ranks_of({.ranks = 8}, {.gpus = 1, .cores = 16}), 8);  // on the CPU
}

TEST(RanksOf, AreNoMoreThanTheMachineHas) {
  expect_error(ExitCode::kUsage, "-n: more ranks than this machine has GPUs (0) or cores (2)",
               [] { ranks_of({.ranks = 3}, {.cores = 2}); });
}

TEST(RanksOf, OfOtherMachinesAreKnownToMpirun) {
  EXPECT_EQ(ranks_of({.hostfile = "hosts"}, {.cores = 2}), 0);
  EXPECT_EQ(ranks_of({.ranks = 64, .hostfile = "hosts"}, {.cores = 2}), 64);
  EXPECT_EQ(ranks_of({}, {.cores = 2, .in_slurm = true}), 0);
}

Surroundings slurm_node(const std::string& tasks, int gpus = 8) {
  return {.gpus = gpus, .cores = 96, .in_slurm = true, .slurm_tasks = tasks};
}

TEST(RanksUnlikeGpus, AreThoseOfTheFirstNode) {
  for (const auto& [tasks, ranks] :
       {std::pair("1", 1), std::pair("1(x2)", 1), std::pair("16(x2),8", 16), std::pair("4,8", 4)})
    EXPECT_EQ(ranks_unlike_gpus({}, slurm_node(tasks)), ranks) << tasks;
  for (const char* tasks : {"8", "8(x2),1", "", "?"})
    EXPECT_EQ(ranks_unlike_gpus({}, slurm_node(tasks)), std::nullopt) << tasks;
}

TEST(RanksUnlikeGpus, AreOnlyThoseThatSlurmDecides) {
  EXPECT_EQ(ranks_unlike_gpus({}, slurm_node("4", /*gpus=*/0)), std::nullopt);
  EXPECT_EQ(ranks_unlike_gpus({.ranks = 1}, slurm_node("1")), std::nullopt);
  EXPECT_EQ(ranks_unlike_gpus({.hostfile = "hosts"}, slurm_node("1")), std::nullopt);
  Surroundings without = slurm_node("1");
  without.in_slurm = false;
  EXPECT_EQ(ranks_unlike_gpus({}, without), std::nullopt);
}

TEST(MpirunCommand, StartsTheVerbOnThisMachine) {
  EXPECT_THAT(mpirun_command({.command = {"train", "--data", "a b"}}, {.cores = 2}, 2, "/bin/gs"),
              ElementsAre("mpirun", "--bind-to", "none", "-n", "2", "--oversubscribe", "-x",
                          "OMP_WAIT_POLICY", "-x", "GANSCALE_BIND_CORES", "/bin/gs", "train",
                          "--data", "a b"));
}

TEST(MpirunCommand, LeavesTheMachinesOfAHostfileToMpirun) {
  EXPECT_THAT(
      mpirun_command({.hostfile = "hosts", .command = {"bench"}}, {.is_root = true}, 0, "gs"),
      ElementsAre("mpirun", "--bind-to", "none", "--allow-run-as-root", "--hostfile", "hosts", "-x",
                  "OMP_WAIT_POLICY", "-x", "GANSCALE_BIND_CORES", "gs", "bench"));
}

TEST(MpirunCommand, PassesVariablesToOtherMachines) {
  const char* const environment[] = {"NCCL_DEBUG=INFO", "PATH=/bin", "AWS_REGION=a=b", nullptr};
  const Surroundings here{.passed_on = variables_to_pass_on(environment)};
  EXPECT_THAT(here.passed_on, ElementsAre("AWS_REGION", "NCCL_DEBUG"));
  const auto there = mpirun_command({.hostfile = "hosts", .command = {"bench"}}, here, 0, "gs");
  EXPECT_THAT(there, testing::IsSupersetOf({"AWS_REGION", "NCCL_DEBUG"}));
  EXPECT_THAT(mpirun_command({.command = {"bench"}}, here, 2, "gs"),
              testing::Not(testing::Contains("NCCL_DEBUG")));
}

// Not those that this process alone reads, or that environment_of() sets.
TEST(MpirunCommand, PassesOurVariablesToOtherMachinesOnce) {
  const char* const environment[] = {"GANSCALE_PREFLIGHT_HCAS=8",
                                     "GANSCALE_PREFLIGHT=require",
                                     "GANSCALE_PREFLIGHT_FLOOR=100",
                                     "GANSCALE_MPIRUN_SECONDS=5",
                                     "GANSCALE_BIND_CORES=1",
                                     "GANSCALE_TERMINAL_COLUMNS=80",
                                     "GANSCALE_EXPECTED_WORLD_SIZE=16",
                                     "GANSCALE_RESTARTS=1",
                                     "GANSCALE_ATTEMPT=a/2",
                                     "GANSCALE_LEAVE_STATUS=1",
                                     "GANSCALE_RESTARTS=1",
                                     nullptr};
  EXPECT_THAT(variables_to_pass_on(environment),
              ElementsAre("GANSCALE_ATTEMPT", "GANSCALE_EXPECTED_WORLD_SIZE",
                          "GANSCALE_LEAVE_STATUS", "GANSCALE_PREFLIGHT", "GANSCALE_PREFLIGHT_FLOOR",
                          "GANSCALE_PREFLIGHT_HCAS", "GANSCALE_RESTARTS"));
}

TEST(EnvironmentOf, PassesTheTerminalWidthToTheRanks) {
  EXPECT_THAT(environment_of({.terminal_columns = 120}),
              testing::Contains(testing::Pair("GANSCALE_TERMINAL_COLUMNS", "120")));
  EXPECT_THAT(environment_of({}),
              testing::Each(testing::Pair(testing::Ne("GANSCALE_TERMINAL_COLUMNS"), testing::_)));
}

TEST(EnvironmentOf, AvoidsSingleCopyIfTheKernelForbidsIt) {
  EXPECT_THAT(environment_of({.reads_other_processes = false}),
              testing::Contains(testing::Pair("OMPI_MCA_btl_vader_single_copy_mechanism", "none")));
}

}  // namespace
}  // namespace ganscale::cli
