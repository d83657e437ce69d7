#include "training/generators/label_state.h"

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

}  // namespace
}  // namespace ganscale::training
