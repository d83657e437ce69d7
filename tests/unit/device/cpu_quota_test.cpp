#include "device/cpu_quota.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "support/temporary_folder.h"

namespace ganscale::device {
namespace {

TEST(CpuQuota, IsReadFromTheContainersGroup) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/cpu.max", "250000 100000\n");
  EXPECT_EQ(cpu_quota(root.path()), 2.5);
}

TEST(CpuQuota, IsTheLeastOfTheGroupsAbove) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/kubepods/pod7/worker\n");
  root.write("sys/fs/cgroup/kubepods/pod7/worker/cpu.max", "max 100000\n");
  root.write("sys/fs/cgroup/kubepods/pod7/cpu.max", "400000 100000\n");
  root.write("sys/fs/cgroup/kubepods/cpu.max", "6400000 100000\n");
  EXPECT_EQ(cpu_quota(root.path()), 4);
}

TEST(CpuQuota, OfVersion1IsReadFromTheCpuController) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "9:cpuset:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/job\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root.path()), 0.5);
}

TEST(CpuQuota, OfVersion1IsAtTheMountIfThePathBelongsToTheHost) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "1:cpu:/docker/1234\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root.path()), 3);
}

TEST(CpuQuota, IsMissingWithoutALimit) {
  const TemporaryFolder root;
  EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
  root.write("proc/self/cgroup", "0::/\n");
  EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
  root.write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root.path()), std::nullopt);
}

TEST(CpusetSize, CountsTheRangesOfAList) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/cpuset.cpus", "\n");
  root.write("sys/fs/cgroup/cpuset.cpus.effective", "0-3,8,10-11\n");
  EXPECT_EQ(cpuset_size(root.path()), 7);
  root.write("sys/fs/cgroup/cpuset.cpus.effective", "5\n");
  EXPECT_EQ(cpuset_size(root.path()), 1);
}

TEST(CpusetSize, IsTheLeastOfTheGroupsAbove) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/kubepods/pod7/worker\n");
  root.write("sys/fs/cgroup/kubepods/pod7/cpuset.cpus.effective", "2-3\n");
  root.write("sys/fs/cgroup/cpuset.cpus.effective", "0-63\n");
  EXPECT_EQ(cpuset_size(root.path()), 2);
}

TEST(CpusetSize, OfVersion1IsReadFromTheCpusetController) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "9:cpuset:/job\n4:cpu,cpuacct:/job\n");
  root.write("sys/fs/cgroup/cpuset/job/cpuset.cpus", "4-7\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/job/cpuset.cpus", "0\n");
  EXPECT_EQ(cpuset_size(root.path()), 4);
}

TEST(CpusetSize, IsMissingWithoutAList) {
  const TemporaryFolder root;
  EXPECT_EQ(cpuset_size(root.path()), std::nullopt);
  root.write("proc/self/cgroup", "0::/\n");
  EXPECT_EQ(cpuset_size(root.path()), std::nullopt);
  for (const char* list : {"", "\n", "all\n", "0-3,all\n"}) {
    root.write("sys/fs/cgroup/cpuset.cpus.effective", list);
    EXPECT_EQ(cpuset_size(root.path()), std::nullopt) << list;
  }
}

TEST(ContainerCores, AreAtMostThoseOfTheMachineAndTheCpuset) {
  const int online = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  EXPECT_GE(container_cores(), 1);
  EXPECT_LE(container_cores(), std::min(online, cpuset_size().value_or(online)));
}

TEST(UsableCores, AreOnlyThoseThatAThreadIsBoundToAndLeaveTheContainersAsTheyAre) {
  const int container = container_cores();
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), container);
  std::thread([&] {
    cpu_set_t allowed;
    ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    cpu_set_t first;
    CPU_ZERO(&first);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++core) {
      if (CPU_ISSET(core, &allowed)) CPU_SET(core, &first);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
    EXPECT_EQ(usable_cores(), 1);
    EXPECT_EQ(container_cores(), container);
  }).join();
}

}  // namespace
}  // namespace ganscale::device
