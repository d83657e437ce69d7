#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/loopback_http.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"
#include "wire/job_status.h"

namespace ganscale {
namespace {

using testing::HasSubstr;

/// Returns an IDX file of 32 x 32 gray images: magic number and sizes, big-endian, then pixels.
std::string idx_images(char count) {
  const std::string head{0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 32, 0, 0, 0, 32};
  std::string pixels;
  for (int i = 0; i < count * 32 * 32; ++i) pixels.push_back(static_cast<char>(i * 37));
  return head + pixels;
}

/// Returns an IDX file of the labels 0, 1, 0, 1, ...
std::string idx_labels(char count) {
  std::string labels{0, 0, 8, 1, 0, 0, 0, count};
  for (int i = 0; i < count; ++i) labels.push_back(static_cast<char>(i % 2));
  return labels;
}

/// Two ranks that train until they are asked to stop; `timeout` kills them as a last resort.
class Steering : public testing::Test {
 protected:
  /// Starts the ranks and waits for the first step. more: sections of their configuration, as YAML.
  void start(const std::string& more = "") {
    folder_.write("data/train-images-idx3-ubyte", idx_images(64));
    folder_.write("token", "s3cret\n");
    const auto config = folder_.write(
        "run.yaml",
        "model: {name: dcgan, resolution: 32, channels: 0.125}\n"
        "data: {path: " +
            (folder_ / "data").string() +
            "}\n"
            "training: {total_kimg: 1000000, batch: 4, tick_kimg: 0.008, samples_every_kimg: 0}\n"
            "telemetry: {metrics_port: 0, control_port: 0, token_file: " +
            (folder_ / "token").string() + "}\n" + more);
    const std::string command = "OMP_NUM_THREADS=1 timeout -k 5 100 " LAUNCHER
                                " --allow-run-as-root --oversubscribe --bind-to none -n 2 " PROGRAM
                                " train --config " +
                                config.string() + " --run " + (folder_ / "faces").string();
    program_ = std::async(std::launch::async, run_program, command);
    wait_for("a control port",
             [&] { return (control_port_ = logged_port("Serving status and commands")) != 0; });
    wait_for("the first step",
             [&] { return http_request(control_port_, "GET /readyz").status == 200; });
  }

  /// Waits until `condition` holds. Throws with the program's output when the training has ended.
  void wait_for(const std::string& what, const std::function<bool()>& condition) {
    wait_until([&] {
      if (condition()) return true;
      if (program_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) return false;
      throw std::runtime_error("training ended before " + what + ":\n" + program_.get().output);
    });
  }

  /// Returns the port that a line of the log names; 0 before that line.
  int logged_port(const std::string& message) const {
    std::ifstream log(folder_ / "faces" / "log.jsonl");
    for (std::string line; std::getline(log, line);) {
      const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (json.is_object() && json.value("message", "") == message) return json["port"].get<int>();
    }
    return 0;
  }

  wire::JobStatus status() const {
    const auto answer = http_request(control_port_, "GET /status", kToken);
    EXPECT_EQ(answer.status, 200);
    return wire::parse_job_status(nlohmann::ordered_json::parse(answer.body));
  }

  int send(const std::string& command) const {
    return http_request(control_port_, "POST /commands",
                        std::string(kToken) + "Content-Type: application/json\r\n",
                        R"({"command": ")" + command + "\"}")
        .status;
  }

  static constexpr const char* kToken = "Authorization: Bearer s3cret\r\n";
  const TemporaryFolder folder_;
  std::future<ProgramResult> program_;
  int control_port_ = 0;
};

TEST_F(Steering, WatchesPausesAndStopsTwoRanks) {
  start();
  EXPECT_EQ(http_request(control_port_, "GET /status").status, 401);
  EXPECT_EQ(status().run, "faces");
  EXPECT_EQ(status().world_size, 2);

  wait_for("a tick", [&] { return status().seconds_per_kimg.has_value(); });
  const auto metrics = http_request(logged_port("Serving metrics"), "GET /metrics").body;
  for (const char* rank : {"0", "1"}) {
    EXPECT_THAT(metrics, HasSubstr("ganscale_images_total{run=\"faces\",rank=\"" +
                                   std::string(rank) + "\"} "));
    // Alerts use the increase of these, which is unknown for a counter that did not exist before.
    const auto of_rank = "{run=\"faces\",rank=\"" + std::string(rank) + "\"";
    EXPECT_THAT(metrics, HasSubstr("ganscale_checkpoint_failures_total" + of_rank + "} 0\n"));
    for (const char* phase : {"Gmain", "Dmain"}) {
      EXPECT_THAT(metrics, HasSubstr("ganscale_nonfinite_total" + of_rank + ",phase=\"" + phase +
                                     "\"} 0\n"));
    }
  }

  EXPECT_EQ(send("pause"), 202);
  wait_for("the pause", [&] { return status().state == wire::JobState::kPaused; });
  const auto images_seen = status().images_seen;
  EXPECT_EQ(send("resume"), 202);
  wait_for("progress", [&] { return status().images_seen > images_seen; });

  EXPECT_EQ(send("checkpoint"), 202);
  wait_for("a checkpoint", [&] { return status().last_checkpoint.has_value(); });
  EXPECT_TRUE(std::filesystem::exists(folder_ / "faces" / "checkpoints" /
                                      status().last_checkpoint->name / "manifest.json"));

  EXPECT_EQ(send("stop"), 202);
  const auto result = program_.get();
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST_F(Steering, StopsTheLabelsOfBothRanksAsASignalDoes) {
  folder_.write("data/train-labels-idx1-ubyte", idx_labels(64));
  start("scheme: {name: per_label}\n");
  const std::array labels{folder_ / "faces/labels/label-0000", folder_ / "faces/labels/label-0001"};
  wait_for("a tick of each label", [&] {
    return std::ranges::all_of(
        labels, [](const auto& label) { return std::filesystem::exists(label / "stats.jsonl"); });
  });
  EXPECT_EQ(send("pause"), 409);
  EXPECT_EQ(send("stop"), 202);
  const auto result = program_.get();
  EXPECT_EQ(result.exit_code, 143) << result.output;
  for (const auto& label : labels) {
    EXPECT_FALSE(std::filesystem::is_empty(label / "checkpoints")) << label;
  }
}

}  // namespace
}  // namespace ganscale
