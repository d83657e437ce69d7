#include "report/tensorboard/tensorboard.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <span>

#include "base/host.h"
#include "data/formats/tfrecord_framing.h"
#include "report/tensorboard/event_format.h"

namespace ganscale::report {
namespace {

EventTime now_at(std::int64_t step) {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(since_1970).count(), step};
}

// TensorBoard looks for "tfevents" and sorts by name: the time comes first.
std::string file_name() {
  const std::string host = host_name();
  const auto seconds = static_cast<std::int64_t>(now_at(0).wall_seconds);
  return "events.out.tfevents." + std::to_string(seconds) + "." + (host.empty() ? "host" : host) +
         "." + std::to_string(getpid());
}

void insert(std::map<std::string, double>& scalars, const std::string& group,
            const std::map<std::string, double>& numbers) {
  for (const auto& [name, number] : numbers) scalars[group + "/" + name] = number;
}

template <std::size_t N>
std::string text(const std::array<std::uint8_t, N>& bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Tensorboard::Tensorboard(const std::filesystem::path& folder, std::int64_t images_seen)
    : file_(folder / file_name()) {
  write(version_event(now_at(0)));
  // Only events after this step are discarded.
  write(start_event(now_at(images_seen + 1)));
}

void Tensorboard::write_tick(const Tick& tick) {
  std::map<std::string, double> scalars{
      {"rate/seconds_per_kimg", tick.seconds_per_kimg},
      {"rate/data_wait_share", tick.data_wait_share},
      {"rate/all_reduce_share", tick.all_reduce_share},
      {"memory/host_bytes", static_cast<double>(tick.host_memory_bytes)},
  };
  if (tick.device_memory_bytes) {
    scalars["memory/device_bytes"] = static_cast<double>(*tick.device_memory_bytes);
  }
  if (tick.augment_p) scalars["augment/p"] = *tick.augment_p;
  insert(scalars, "loss", tick.losses);
  insert(scalars, "score", tick.scores);
  insert(scalars, "learning_rate", tick.learning_rates);
  insert(scalars, "scheduled", tick.scheduled);
  write(scalars_event(now_at(tick.images_seen), scalars));
}

void Tensorboard::write_grid(const std::string& tag, const at::Tensor& images, GridLayout layout,
                             std::int64_t images_seen) {
  const auto pixels = make_grid(images, layout);
  write(image_event(now_at(images_seen), tag,
                    {pixels.size(0), pixels.size(1), pixels.size(2), encode_png(pixels)}));
}

void Tensorboard::write(const std::string& event) {
  const std::span data(reinterpret_cast<const std::uint8_t*>(event.data()), event.size());
  file_.append(text(data::frame_header(data.size())) + event + text(data::frame_footer(data)));
}

}  // namespace ganscale::report
