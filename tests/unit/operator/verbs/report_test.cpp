#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/atomic_file.h"
#include "scaling_sweep/desired/report_map.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"
#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {
namespace {

using testing::HasSubstr;

/// The files of the report of a sweep that is done, by name.
std::map<std::string, std::string> files_of_report() {
  const Plan plan = make_plan();
  Record record;
  for (const SweepRun& run : plan.runs) {
    record.results.push_back(make_result(plan, run, 100.0 * (run.point + 1) + run.repeat));
  }
  return report_map(plan, record)["data"];
}

ProgramResult run_report(const std::filesystem::path& file, const std::filesystem::path& folder) {
  return run_program(std::string(OPERATOR) + " report -f " + file.string() + " --out " +
                     folder.string());
}

TEST(Report, IsMadeAgainFromItsOwnJson) {
  const TemporaryFolder folder;
  const auto expected = files_of_report();
  const auto sweep = folder.write("sweep.json", expected.at("report.json"));
  const ProgramResult written = run_report(sweep, folder / "again");
  EXPECT_EQ(written.exit_code, 0) << written.output;
  for (const auto& [name, text] : expected) {
    EXPECT_EQ(files::read_file(folder / "again" / name), text) << name;
    EXPECT_THAT(written.output, HasSubstr(name));
  }
}

TEST(Report, ReadsStandardInput) {
  const TemporaryFolder folder;
  const auto expected = files_of_report();
  const auto sweep = folder.write("sweep.json", expected.at("report.json"));
  const ProgramResult written = run_report("- <" + sweep.string(), folder / "again");
  EXPECT_EQ(written.exit_code, 0) << written.output;
  EXPECT_EQ(files::read_file(folder / "again/report.json"), expected.at("report.json"));
  EXPECT_THAT(run_report("- </dev/null", folder / "none").output,
              HasSubstr("standard input is empty"));
}

TEST(Report, RefusesResultsThatBelongToAnotherSpec) {
  const TemporaryFolder folder;
  Json sweep = Json::parse(files_of_report().at("report.json"));
  sweep["spec"]["measure"]["steps"] = 21;
  const ProgramResult refused =
      run_report(folder.write("sweep.json", sweep.dump()), folder / "none");
  EXPECT_EQ(refused.exit_code, 78);
  EXPECT_THAT(refused.output, HasSubstr("results of the runs of this spec for 0 of 6"));
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST(Report, RefusesASweepWithoutResults) {
  const TemporaryFolder folder;
  Json sweep = Json::parse(files_of_report().at("report.json"));
  sweep.erase("status");
  EXPECT_EQ(run_report(folder.write("sweep.json", sweep.dump()), folder / "none").exit_code, 78);
}

TEST(Report, RefusesAFileThatIsNotASweep) {
  const TemporaryFolder folder;
  const auto training = folder.write("training.yaml", "kind: GanTraining\nmetadata: {name: a}\n");
  const ProgramResult refused = run_report(training, folder / "none");
  EXPECT_EQ(refused.exit_code, 78);
  EXPECT_THAT(refused.output, HasSubstr("expected one ScalingSweep"));
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
