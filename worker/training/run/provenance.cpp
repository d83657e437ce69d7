#include "training/run/provenance.h"

#include <ATen/ops/zeros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <set>

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

std::string host_name() {
  std::array<char, kNameBytes> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string now_in_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

}  // namespace

nlohmann::ordered_json describe_start(const Provenance& provenance, const std::string& device_name,
                                      int device_count, comm::Group& group) {
  const std::vector<std::string> hosts = gather_names(host_name(), group);
  std::map<std::string, int> devices;
  for (const std::string& name : gather_names(device_name, group)) devices[name] += device_count;
  nlohmann::ordered_json start{{"date", now_in_utc()}};
  for (const auto& [name, value] : provenance.build) start[name] = value;
  start["command_line"] = valid_utf8(provenance.command_line);
  start["hosts"] = std::set<std::string>(hosts.begin(), hosts.end());
  start["devices"] = devices;
  start["ranks"] = group.size();
  return start;
}

}  // namespace ganscale::training
