#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/non_copyable.h"

namespace ganscale {

/// A TCP server on 127.0.0.1 that answers each connection with bytes as they are: tests send what
/// no library would. One connection at a time.
class LoopbackServer : NonCopyable {
 public:
  /// Writes bytes to the client.
  using Write = std::function<void(std::string_view)>;
  /// request: what the client sent, head and body.
  using Answer = std::function<void(const std::string& request, const Write& write)>;

  explicit LoopbackServer(Answer answer)
      : answer_(std::move(answer)), file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(file_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    listen(file_, 16);
    socklen_t length_bytes = sizeof address;
    getsockname(file_, reinterpret_cast<sockaddr*>(&address), &length_bytes);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~LoopbackServer() {
    stopped_ = true;
    thread_.join();
    close(file_);
  }

  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

  /// Waits until the client has closed its connection. For an answer alone.
  void wait_for_hangup() const {
    char byte = 0;
    pollfd waiting{client_, POLLIN, 0};
    while (!stopped_ && (poll(&waiting, 1, 20) <= 0 || recv(client_, &byte, 1, 0) > 0)) {
    }
  }

 private:
  void run() {
    while (!stopped_) {
      pollfd waiting{file_, POLLIN, 0};
      if (poll(&waiting, 1, 20) <= 0) continue;
      client_ = accept(file_, nullptr, nullptr);
      serve(client_);
      close(client_);
    }
  }

  void serve(int client) {
    const std::string request = read(client);
    {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(request);
    }
    answer_(request, [client](std::string_view bytes) {
      while (!bytes.empty()) {
        const ssize_t count = send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(count));
      }
    });
    shutdown(client, SHUT_WR);
  }

  static std::string read(int client) {
    std::string text;
    std::array<char, 4096> part{};
    while (true) {
      const auto head = text.find("\r\n\r\n");
      if (head != std::string::npos) {
        const auto length = text.find("Content-Length:");
        const std::size_t body =
            length < head ? std::stoul(text.substr(length + 15)) : std::size_t{0};
        if (text.size() >= head + 4 + body) return text;
      }
      const ssize_t count = recv(client, part.data(), part.size(), 0);
      if (count <= 0) return text;
      text.append(part.data(), static_cast<std::size_t>(count));
    }
  }

  Answer answer_;
  int file_;
  int client_ = -1;  ///< whose request is being answered
  int port_ = 0;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace ganscale
