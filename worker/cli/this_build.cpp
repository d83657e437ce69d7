#include "cli/this_build.h"

#include <torch/version.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <span>
#include <string_view>

#include "comm/backends/mpi_session.h"
#include "comm/backends/nccl_group.h"
#include "command_line/completion.h"

namespace ganscale::cli {
namespace {

bool is_plain(unsigned char c) {
  return std::isalnum(c) != 0 ||
         std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
}

std::string as_typed(const std::string& word) {
  const bool needs_quotes = word.empty() || !std::ranges::all_of(word, is_plain);
  return needs_quotes ? command_line::single_quoted(word) : word;
}

}  // namespace

training::Build this_build() {
  return {{"version", GANSCALE_VERSION},  {"commit", commit()},
          {"libtorch", TORCH_VERSION},    {"cuda", GANSCALE_CUDA_VERSION},
          {"nccl", comm::nccl_version()}, {"mpi", comm::mpi_version()},
          {"compiler", GANSCALE_COMPILER}};
}

std::string build_text(const training::Build& build) {
  std::string text = build.front().second;
  for (const auto& [name, value] : std::span(build).subspan(1)) {
    constexpr std::size_t kWidth = 10;
    text += "\n" + name + std::string(kWidth - std::min(kWidth, name.size()), ' ') + value;
  }
  return text;
}

std::string typed_command_line() {
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  std::string text;
  for (std::string word; std::getline(words, word, '\0');)
    text += (text.empty() ? "" : " ") + as_typed(word);
  return text;
}

}  // namespace ganscale::cli
