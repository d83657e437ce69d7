#include "report/tick.h"

namespace ganscale::report {

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
  if (tick.augment_p) line["augment_p"] = *tick.augment_p;
  return line;
}

}  // namespace ganscale::report
