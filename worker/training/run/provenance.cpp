#include "training/run/provenance.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>

#include "base/host_name.h"
#include "base/utc_text.h"
#include "base/utf8.h"

namespace ganscale::training {
namespace {

constexpr std::int64_t kNameBytes = 256;

/// Returns the names of all ranks, in their order; long ones are cut.
std::vector<std::string> gather_names(const std::string& name, comm::Group& group) {
  const at::Tensor own = at::zeros({kNameBytes}, at::kByte);
  const auto length = std::min(name.size(), static_cast<std::size_t>(kNameBytes - 1));
  std::copy_n(name.data(), length, reinterpret_cast<char*>(own.mutable_data_ptr<std::uint8_t>()));
  const at::Tensor all = group.all_gather(own);
  std::vector<std::string> names;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto* text = all.const_data_ptr<std::uint8_t>() + rank * kNameBytes;
    names.emplace_back(reinterpret_cast<const char*>(text));
  }
  return names;
}

}  // namespace

nlohmann::ordered_json describe_start(const Provenance& provenance, const std::string& device_name,
                                      int device_count, comm::Group& group) {
  const std::vector<std::string> hosts = gather_names(host_name(), group);
  std::map<std::string, int> devices;
  for (const std::string& name : gather_names(device_name, group)) devices[name] += device_count;
  nlohmann::ordered_json start{{"date", utc_text(std::time(nullptr))}};
  for (const auto& [name, value] : provenance.build) start[name] = value;
  start["command_line"] = valid_utf8(provenance.command_line);
  start["hosts"] = std::set<std::string>(hosts.begin(), hosts.end());
  start["devices"] = devices;
  start["ranks"] = group.size();
  return start;
}

}  // namespace ganscale::training
