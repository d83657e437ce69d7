#include "report/log/tick.h"

namespace ganscale::report {
namespace {

nlohmann::ordered_json to_json(const RoleTick& role) {
  nlohmann::ordered_json staleness = nlohmann::ordered_json::object();
  for (const auto& [age, steps] : role.steps_of_age) staleness[std::to_string(age)] = steps;
  return {{"ranks", role.ranks},           {"steps", role.steps},
          {"images", role.images},         {"seconds_per_step", role.seconds_per_step},
          {"wait_share", role.wait_share}, {"staleness", staleness}};
}

}  // namespace

double RoleTick::mean_age() const {
  double ages = 0;
  double steps = 0;
  for (const auto& [age, count] : steps_of_age) {
    ages += static_cast<double>(age * count);
    steps += static_cast<double>(count);
  }
  return steps > 0 ? ages / steps : 0;
}

nlohmann::ordered_json to_json(const Tick& tick) {
  nlohmann::ordered_json line{
      {"tick", tick.number},
      {"kimg", static_cast<double>(tick.images_seen) / 1000},
      {"images_seen", tick.images_seen},
      {"step", tick.step},
      {"steps", tick.network_steps},
      {"world_size", tick.world_size},
      {"seconds", tick.seconds},
      {"s_per_kimg", tick.seconds_per_kimg},
      {"maintenance_seconds", tick.maintenance_seconds},
      {"data_wait_share", tick.data_wait_share},
      {"reader_threads", tick.reader_threads},
      {"read_tail_seconds", tick.read_tail_seconds},
      {"all_reduce_share", tick.all_reduce_share},
      {"host_memory_bytes", tick.host_memory_bytes},
  };
  if (tick.device_memory_bytes) line["device_memory_bytes"] = *tick.device_memory_bytes;
  line["loss"] = tick.losses;
  if (!tick.scores.empty()) line["score"] = tick.scores;
  line["learning_rate"] = tick.learning_rates;
  if (!tick.scheduled.empty()) line["scheduled"] = tick.scheduled;
  if (tick.augment_p) line["augment_p"] = *tick.augment_p;
  for (const auto& [network, role] : tick.roles) line["roles"][network] = to_json(role);
  return line;
}

}  // namespace ganscale::report
