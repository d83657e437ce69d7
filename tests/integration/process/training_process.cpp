#include "training_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

namespace ganscale {
namespace {

constexpr int kImageCount = 64;
constexpr int kExtent = 32;

void write_big_endian(std::ostream& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out.put(static_cast<char>(number >> shift));
}

std::vector<std::string> command_line(int rank_count, const std::filesystem::path& config,
                                      const std::filesystem::path& run) {
  std::vector<std::string> words;
  if (rank_count > 1) {
    words = {LAUNCHER, "--allow-run-as-root",     "--oversubscribe", "--bind-to", "none",
             "-n",     std::to_string(rank_count)};
  }
  words.insert(words.end(), {PROGRAM, "train", "--config", config.string(), "--run", run.string()});
  return words;
}

[[noreturn]] void execute(const std::vector<std::string>& words,
                          const std::filesystem::path& output) {
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  _exit(127);
}

void write_images(const std::filesystem::path& folder) {
  std::ofstream out(folder / "train-images-idx3-ubyte", std::ios::binary);
  write_big_endian(out, 0x00000803);
  write_big_endian(out, kImageCount);
  write_big_endian(out, kExtent);
  write_big_endian(out, kExtent);
  std::minstd_rand random(1);
  for (int i = 0; i < kImageCount * kExtent * kExtent; ++i) {
    out.put(static_cast<char>(random() >> 16));
  }
  std::ofstream labels(folder / "train-labels-idx1-ubyte", std::ios::binary);
  write_big_endian(labels, 0x00000801);
  write_big_endian(labels, kImageCount);
  for (int i = 0; i < kImageCount; ++i) labels.put(static_cast<char>(i % kTinyLabels));
}

}  // namespace

std::filesystem::path write_tiny_training(const std::filesystem::path& folder,
                                          std::int64_t step_count, const std::string& precision,
                                          const std::string& more, double tick_kimg) {
  std::filesystem::create_directory(folder / "data");
  write_images(folder / "data");
  const auto kimg = static_cast<double>(step_count * kTinyBatch) / 1000;
  std::ofstream(folder / "run.yaml")
      << "data: {path: " << (folder / "data").string() << "}\n"
      << "training: {total_kimg: " << kimg << ", batch: " << kTinyBatch
      << ", precision: " << precision << ", device: cpu, threads: 1, tick_kimg: " << tick_kimg
      << ", samples_every_kimg: 0, "
      << "grid_rows: 1, grid_columns: 1}\n"
      << (more.find("comm:") == std::string::npos ? "comm: {timeout: 30s}\n" : "")
      << "telemetry: {metrics_port: -1, control_port: -1}\n"
      << more;
  return folder / "run.yaml";
}

TrainingProcess::TrainingProcess(std::vector<std::string> shell, int rank_count,
                                 const std::filesystem::path& config,
                                 const std::filesystem::path& run)
    : rank_count_(rank_count), output_file_(run.string() + ".output") {
  std::vector<std::string> words = std::move(shell);
  std::ranges::copy(command_line(rank_count, config, run), std::back_inserter(words));
  launcher_ = ::fork();
  if (launcher_ == 0) execute(words, output_file_);
}

TrainingProcess::~TrainingProcess() {
  if (has_ended()) return;
  for (const pid_t rank : rank_pids()) ::kill(rank, SIGKILL);
  ::kill(launcher_, SIGKILL);
  ::waitpid(launcher_, &status_, 0);
}

std::vector<pid_t> TrainingProcess::rank_pids() const {
  if (rank_count_ == 1) return {launcher_};
  std::vector<pid_t> pids;
  std::error_code ended;
  const auto threads = "/proc/" + std::to_string(launcher_) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(threads, ended)) {
    std::ifstream children(thread.path() / "children");
    for (pid_t pid = 0; children >> pid;) pids.push_back(pid);
  }
  return pids;
}

void TrainingProcess::signal_launcher(int signal) const { ::kill(launcher_, signal); }

bool TrainingProcess::has_ended() {
  if (!ended_) ended_ = ::waitpid(launcher_, &status_, WNOHANG) == launcher_;
  return ended_;
}

int TrainingProcess::exit_code() {
  if (!wait_until([this] { return has_ended(); }, std::chrono::minutes(10))) return -1;
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

std::string TrainingProcess::output() const {
  std::ostringstream text;
  text << std::ifstream(output_file_).rdbuf();
  return text.str();
}

}  // namespace ganscale
