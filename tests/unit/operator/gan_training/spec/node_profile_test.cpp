#include "gan_training/spec/node_profile.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::controller::gan_training {
namespace {

TEST(NodeProfile, OfADgxHasEightGpusAndWhatRdmaNeeds) {
  const NodeProfiles profiles = built_in_node_profiles();
  for (const char* name : {"dgx-a100", "dgx-h100"}) {
    const NodeProfile& p = profiles.at(name);
    EXPECT_EQ(p.gpus, 8);
    EXPECT_EQ(p.ranks, 8);
    EXPECT_TRUE(p.ipc_lock);
    EXPECT_TRUE(p.exclusive);
    EXPECT_TRUE(p.bind_to_gpu);
    EXPECT_EQ(p.resources.count("rdma/rdma_shared_device_a"), 1U);
    EXPECT_TRUE(p.preflight);
    EXPECT_EQ(p.hcas, 8);
    EXPECT_EQ(p.mpirun, (std::vector<std::string>{"--map-by", "ppr:8:node", "--bind-to", "none"}));
  }
  EXPECT_EQ(profiles.at("dgx-a100").floor_gigabytes_per_second, 100);
  EXPECT_EQ(profiles.at("dgx-h100").floor_gigabytes_per_second, 200);
  EXPECT_FALSE(profiles.at("cpu").preflight);
  EXPECT_EQ(profiles.at("puhti-v100").ranks, 4);
  EXPECT_EQ(profiles.at("summit-v100").ranks, 6);
  EXPECT_EQ(profiles.at("cpu").gpus, 0);
  EXPECT_EQ(profiles.at("cpu").ranks, 1);
  EXPECT_EQ(profiles.at("generic-gpu").ranks, 1);
}

TEST(NodeProfile, OfAFolderReplacesTheBuiltInOne) {
  const TemporaryFolder folder;
  folder.write("cpu.yaml", "ranks: 4\n");
  folder.write("mine.yaml", "gpus: 2\n");
  NodeProfiles profiles = built_in_node_profiles();
  add_node_profiles(profiles, folder.path());
  EXPECT_EQ(profiles.at("cpu").ranks, 4);
  EXPECT_EQ(profiles.at("mine").ranks, 2);
}

TEST(NodeProfile, NamesFileAndFieldOfAFault) {
  const TemporaryFolder folder;
  folder.write("mine.yaml", "gpu: 2\n");
  NodeProfiles profiles;
  expect_error(ExitCode::kConfig, "mine.yaml.gpu: unknown field",
               [&] { add_node_profiles(profiles, folder.path()); });
  for (const auto& [text, error] :
       {std::pair("fabric: {floor: 2}", "fabric.floor: unknown field"),
        {"fabric: {floorGigabytesPerSecond: -1}",
         "floorGigabytesPerSecond: expected a number of at least 0"},
        {"fabric: {floorGigabytesPerSecond: fast}",
         "floorGigabytesPerSecond: expected a number of at least 0"},
        {"cpu: two", "mine.yaml.cpu: must be a quantity"},
        {"memory: 64ki", "mine.yaml.memory: must be a quantity"},
        {"shm: 1 Gi", "mine.yaml.shm: must be a quantity"},
        {"resources: {rdma/hca: one}", "mine.yaml.resources.rdma/hca: must be a quantity"},
        {"gpuResource: \"\"", "mine.yaml.gpuResource: must be at most"},
        {"nodeSelector: {a: b c}", "mine.yaml.nodeSelector.a: must be at most"}}) {
    folder.write("mine.yaml", text);
    expect_error(ExitCode::kConfig, error, [&] { add_node_profiles(profiles, folder.path()); });
  }
}

}  // namespace
}  // namespace ganscale::controller::gan_training
