#include "device/cpu_quota.h"

#include <gtest/gtest.h>

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

TEST(UsableCores, AreAtMostThoseThatThisProcessMayRunOn) {
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
}

}  // namespace
}  // namespace ganscale::device
