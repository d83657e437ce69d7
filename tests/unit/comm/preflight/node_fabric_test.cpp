#include "comm/preflight/node_fabric.h"

#include <gmock/gmock.h>

#include "support/temporary_folder.h"

namespace ganscale::comm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Writes the state of a port as the kernel does.
void write_port(const TemporaryFolder& root, const std::string& port, const std::string& state) {
  root.write("sys/class/infiniband/" + port + "/state", state + "\n");
}

TEST(NodeFabric, CountsCardsWithAnActivePort) {
  const TemporaryFolder folder;
  write_port(folder, "mlx5_0/ports/1", "4: ACTIVE");
  write_port(folder, "mlx5_1/ports/1", "1: DOWN");
  write_port(folder, "mlx5_1/ports/2", "4: ACTIVE");
  write_port(folder, "mlx5_3/ports/1", "2: INIT");
  write_port(folder, "mlx5_2/ports/1", "1: DOWN");
  const NodeFabric node = read_node_fabric(false, folder.path());
  EXPECT_EQ(node.active_hcas, 2);
  EXPECT_THAT(node.down_hcas, ElementsAre("mlx5_2", "mlx5_3"));
  EXPECT_EQ(node.gpu_direct, "");
}

TEST(NodeFabric, HasNoneWithoutInfiniBand) {
  const TemporaryFolder folder;
  const NodeFabric node = read_node_fabric(false, folder.path());
  EXPECT_EQ(node.active_hcas, 0);
  EXPECT_THAT(node.down_hcas, IsEmpty());
}

TEST(NodeFabric, FindsThePeerMemoryModule) {
  const TemporaryFolder folder;
  EXPECT_NE(read_node_fabric(true, folder.path()).gpu_direct, "peermem");
  std::filesystem::create_directories(folder.path() / "sys/module/nvidia_peermem");
  EXPECT_EQ(read_node_fabric(true, folder.path()).gpu_direct, "peermem");
}

}  // namespace
}  // namespace ganscale::comm
