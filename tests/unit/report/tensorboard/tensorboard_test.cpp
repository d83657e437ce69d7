#include "report/tensorboard/tensorboard.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <span>
#include <vector>

#include "data/formats/tfrecord_framing.h"
#include "files/atomic_file.h"
#include "report/tensorboard/event_format.h"
#include "support/temporary_folder.h"

namespace ganscale::report {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

std::string hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    for (const int nibble : {byte >> 4, byte & 15}) text += "0123456789abcdef"[nibble];
  }
  return text;
}

std::vector<std::string> events_in(const std::filesystem::path& folder) {
  std::vector<std::string> events;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto bytes = files::read_file(entry.path());
    std::span rest(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    while (!rest.empty()) {
      const auto length = data::read_frame_header(rest.first(data::kFrameHeaderBytes));
      const auto frame_bytes = data::kFrameHeaderBytes + length + data::kFrameFooterBytes;
      const auto data = data::read_frame(rest.first(static_cast<std::size_t>(frame_bytes)));
      events.emplace_back(data.begin(), data.end());
      rest = rest.subspan(static_cast<std::size_t>(frame_bytes));
    }
  }
  return events;
}

// By hand after the wire format of protocol buffers: key = field << 3 | type; 1.0 is 3ff0... as a
// double, 3f800000 as a float; 300 is the varint ac 02.
TEST(EventFormat, ScalarsAreASummaryOfSimpleValues) {
  EXPECT_EQ(hex(scalars_event({1.0, 300}, {{"a", 1.0}, {"b", -2.0}})),
            "09000000000000f03f"      // wall_time
            "10ac02"                  // step
            "2a14"                    // summary of 20 bytes
            "0a080a0161150000803f"    // value: tag "a", simple_value 1
            "0a080a016215000000c0");  // value: tag "b", simple_value -2
}

TEST(EventFormat, FileBeginsWithItsVersionAndARunWithASession) {
  EXPECT_EQ(hex(version_event({1.0, 0})),
            "09000000000000f03f1000"
            "1a0d" +
                hex("brain.Event:2"));
  EXPECT_EQ(hex(start_event({1.0, 1})),
            "09000000000000f03f1001"
            "3a020801");
}

TEST(EventFormat, ImageHasShapeAndPng) {
  EXPECT_EQ(hex(image_event({1.0, 0}, "g", {2, 3, 1, "PNG"})),
            "09000000000000f03f1000"
            "2a12"
            "0a10"
            "0a0167"  // summary, value, tag "g"
            "220b"
            "0802"
            "1003"
            "1801"
            "2203504e47");
}

TEST(Tensorboard, FileHoldsTicksAndGridsInTfrecordFrames) {
  const TemporaryFolder folder;
  {
    Tensorboard board(folder.path(), 0);
    Tick tick;
    tick.images_seen = 1000;
    tick.losses = {{"generator", 0.5}};
    tick.scheduled = {{"r1_gamma", 2.5}};
    board.write_tick(tick);
    board.write_grid("fakes", at::zeros({4, 1, 2, 2}), {.columns = 2}, 1000);
  }
  const auto events = events_in(folder.path());
  ASSERT_EQ(events.size(), 4U);
  EXPECT_THAT(events[0], EndsWith("brain.Event:2"));
  EXPECT_THAT(events[2], HasSubstr("loss/generator"));
  EXPECT_THAT(events[2], HasSubstr("scheduled/r1_gamma"));
  EXPECT_THAT(events[3], HasSubstr("\x89PNG"));
}

}  // namespace
}  // namespace ganscale::report
