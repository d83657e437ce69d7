#include "gan_training/spec/node_profile.h"

#include <filesystem>

#include "base/error.h"
#include "gan_training/spec/built_in.h"
#include "object/yaml.h"

namespace ganscale::controller::gan_training {

NodeProfile parse_node_profile(Fields in) {
  NodeProfile p;
  p.gpus = in.whole("gpus", p.gpus, 0, 64);
  p.gpu_resource = in.qualified_name("gpuResource", p.gpu_resource);
  p.ranks = in.whole("ranks", p.gpus > 0 ? p.gpus : 1, 1, 256);
  p.resources = in.quantities("resources");
  p.cpu = in.quantity("cpu");
  p.memory = in.quantity("memory");
  p.shm = in.quantity("shm");
  p.ipc_lock = in.flag("ipcLock", p.ipc_lock);
  p.node_selector = in.labels("nodeSelector");
  if (in.has("tolerations")) p.tolerations = in.any("tolerations");
  in.require(p.tolerations.is_array(), "tolerations", "expected a list");
  p.bind_to_gpu = in.flag("bindToGpu", p.bind_to_gpu);
  p.exclusive = in.flag("exclusive", p.exclusive);
  p.topology_key = in.text("topologyKey");
  p.environment = in.words("environment");
  p.mpirun = in.list("mpirun");
  p.preflight = in.flag("preflight", p.preflight);
  Fields fabric = in.object("fabric");
  p.floor_gigabytes_per_second = fabric.positive("floorGigabytesPerSecond", 0);
  p.hcas = fabric.whole("hcas", 0, 0, 64);
  fabric.refuse_unknown();
  in.any("description");
  in.any("tolerations");
  in.refuse_unknown();
  return p;
}

NodeProfiles built_in_node_profiles() {
  NodeProfiles profiles;
  for (const auto& [name, text] : built_in_profile_texts()) {
    profiles[name] = parse_node_profile({read_yaml(text, name).at(0), name + ".yaml"});
  }
  return profiles;
}

void add_node_profiles(NodeProfiles& profiles, const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error);
  if (error) throw ConfigError("can't read the folder of node profiles: " + folder);
  for (const auto& file : files) {
    if (file.path().extension() != ".yaml") continue;
    const auto documents = read_yaml_file(file.path());
    if (documents.size() != 1) throw ConfigError("expected one profile: " + file.path().string());
    profiles[file.path().stem()] = parse_node_profile({documents[0], file.path().string()});
  }
}

}  // namespace ganscale::controller::gan_training
