#include "training/generators/label_state.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::training {
namespace {

TEST(LabelState, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_label_state(folder.path()));
  LabelState state;
  state.label = 7;
  state.name = "cat";
  state.state = wire::LabelStage::kFailed;
  state.error = "broken";
  state.exit_code = 65;
  write_label_state(folder.path(), state);
  const auto read = read_label_state(folder.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->label, 7);
  EXPECT_EQ(read->name, "cat");
  EXPECT_EQ(read->state, wire::LabelStage::kFailed);
  EXPECT_EQ(read->error, "broken");
  EXPECT_EQ(read->exit_code, 65);
  EXPECT_FALSE(read->is_trained());
}

TEST(LabelState, RefusesADamagedFile) {
  const TemporaryFolder folder;
  folder.write("label.json", "{\"label\": 1}");
  expect_error(ExitCode::kData, "label.json", [&] { read_label_state(folder.path()); });
}

TEST(LabelState, RefusesIntegersOutOfRange) {
  for (const char* key : {"attempts", "exit_code"}) {
    nlohmann::json json(LabelState{});
    json[key] = 4294967297;
    expect_error(ExitCode::kData, std::string("out of range: ") + key,
                 [&] { parse_label_state(json.dump()); });
  }
  nlohmann::json json(LabelState{});
  json["images_seen"] = std::numeric_limits<std::uint64_t>::max();
  expect_error(ExitCode::kData, "out of range: images_seen",
               [&] { parse_label_state(json.dump()); });
}

}  // namespace
}  // namespace ganscale::training
