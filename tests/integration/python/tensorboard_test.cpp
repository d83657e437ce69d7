#include "report/tensorboard/tensorboard.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/temporary_folder.h"

namespace ganscale::report {
namespace {

constexpr auto kReader = R"(
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1])
events.Reload()
losses = [(e.step, e.value) for e in events.Scalars("loss/generator")]
assert losses == [(1000, 1.0), (2000, 12.0), (3000, 13.0)], losses
image, = events.Images("fakes")
assert (image.step, image.width, image.height) == (3000, 4, 4), image
assert image.encoded_image_string[:4] == b"\x89PNG"
)";

void write_ticks(const std::filesystem::path& folder, std::int64_t resume_at,
                 const std::map<std::int64_t, double>& losses) {
  Tensorboard board(folder, resume_at);
  for (const auto& [images_seen, loss] : losses) {
    Tick tick;
    tick.images_seen = images_seen;
    tick.losses = {{"generator", loss}};
    board.write_tick(tick);
    if (images_seen == 3000) board.write_grid("fakes", at::zeros({4, 1, 2, 2}), {2}, images_seen);
  }
}

TEST(Tensorboard, PythonsReaderSeesAResumedRunOnce) {
  if (std::system("python3 -c 'import tensorboard' 2> /dev/null") != 0) {
    GTEST_SKIP() << "python3 has no package tensorboard (pip install tensorboard)";
  }
  const TemporaryFolder folder;
  write_ticks(folder / "events", 0, {{1000, 1}, {2000, 2}, {3000, 3}});
  // As the second start of a run would be called, a second later.
  std::filesystem::rename(std::filesystem::directory_iterator(folder / "events")->path(),
                          folder / "events/events.out.tfevents.0");
  write_ticks(folder / "events", 1000, {{2000, 12}, {3000, 13}});
  std::ofstream(folder / "read.py") << kReader;
  const auto command =
      "python3 " + (folder / "read.py").string() + " " + (folder / "events").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace ganscale::report
