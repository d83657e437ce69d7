#include "training/run/provenance.h"

#include <ctime>
#include <map>
#include <set>

#include "base/host.h"
#include "base/utc_text.h"
#include "base/utf8.h"
#include "comm/collectives/gather_text.h"

namespace ganscale::training {

nlohmann::ordered_json describe_start(const Provenance& provenance, const std::string& device_name,
                                      int device_count, comm::Group& group) {
  const std::vector<std::string> hosts = comm::gather_text(group, host_name());
  std::map<std::string, int> devices;
  for (const std::string& name : comm::gather_text(group, device_name)) {
    devices[name] += device_count;
  }
  nlohmann::ordered_json start{{"date", utc_text(std::time(nullptr))}};
  for (const auto& [name, value] : provenance.build) start[name] = value;
  start["command_line"] = valid_utf8(provenance.command_line);
  start["hosts"] = std::set<std::string>(hosts.begin(), hosts.end());
  start["devices"] = devices;
  start["ranks"] = group.size();
  return start;
}

}  // namespace ganscale::training
