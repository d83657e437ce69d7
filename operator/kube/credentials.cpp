#include "kube/credentials.h"

#include <fstream>
#include <iterator>

namespace ganscale::controller {

Credentials::Credentials(const ClusterAccess& access)
    : file_(access.token_file), token_(access.token) {}

std::string Credentials::token() {
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!file_.empty() && now >= read_again_) {
    std::ifstream file(file_);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text.erase(text.find_last_not_of(" \r\n\t") + 1);
    if (!text.empty()) token_ = text;
    read_again_ = now + std::chrono::minutes(1);
  }
  return token_;
}

void Credentials::refresh() {
  const std::scoped_lock lock(mutex_);
  read_again_ = {};
}

}  // namespace ganscale::controller
