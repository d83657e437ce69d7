#include "data/formats/tfrecord_writer.h"

#include "data/formats/tfrecord_framing.h"
#include "files/atomic_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::data {
namespace {

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(TfrecordWriter, WritesFramesOneAfterAnother) {
  const TemporaryFolder folder;
  TfrecordWriter writer(folder / "a.tfrecord");
  writer.append(bytes_of("one"));
  writer.append(bytes_of(""));
  writer.append(bytes_of("three"));
  writer.close();
  const auto content = files::read_file(folder / "a.tfrecord");
  const auto& offsets = writer.offsets();
  ASSERT_EQ(offsets.size(), 4);
  EXPECT_EQ(static_cast<std::size_t>(offsets.back()), content.size());
  const std::vector<std::string> expected = {"one", "", "three"};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto frame =
        bytes_of(content).subspan(static_cast<std::size_t>(offsets[i]),
                                  static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    const auto data = read_frame(frame);
    EXPECT_EQ(std::string(data.begin(), data.end()), expected[i]);
  }
}

TEST(TfrecordWriter, StartsOver) {
  const TemporaryFolder folder;
  folder.write("a.tfrecord", "what was there before");
  TfrecordWriter(folder / "a.tfrecord").close();
  EXPECT_EQ(files::read_file(folder / "a.tfrecord"), "");
}

TEST(TfrecordWriter, ShowsOthersWhatWasFlushed) {
  const TemporaryFolder folder;
  TfrecordWriter writer(folder / "a.tfrecord");
  writer.append(bytes_of("one"));
  writer.flush();
  EXPECT_EQ(files::read_file(folder / "a.tfrecord").size(),
            static_cast<std::size_t>(writer.offsets().back()));
}

TEST(TfrecordWriter, NamesTheFileThatItCannotWrite) {
  expect_error(ExitCode::kData,
               "cannot write the file: /nowhere/a.tfrecord, offset 0: No such file or directory",
               [] { TfrecordWriter("/nowhere/a.tfrecord"); });
}

// /dev/full takes nothing. A short record only fails when the buffer goes out, here in close().
TEST(TfrecordWriter, SaysThatTheDiskIsFull) {
  TfrecordWriter of_short("/dev/full");
  of_short.append(bytes_of("one"));
  expect_error(ExitCode::kData,
               "cannot write the file: /dev/full, offset 19: No space left on device",
               [&] { of_short.close(); });
  TfrecordWriter of_long("/dev/full");
  const std::string long_record(1'000'000, 'x');
  expect_error(ExitCode::kData,
               "cannot write the file: /dev/full, offset 0: No space left on device",
               [&] { of_long.append(bytes_of(long_record)); });
}

}  // namespace
}  // namespace ganscale::data
