#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/non_copyable.h"

namespace ganscale {

/// A TCP connection to 127.0.0.1, for bytes as they are: tests send what no library would.
class LoopbackConnection : NonCopyable {
 public:
  explicit LoopbackConnection(int port) : file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(file_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      close(file_);
      throw std::runtime_error("nobody listens on port " + std::to_string(port));
    }
    const timeval minute{.tv_sec = 60, .tv_usec = 0};
    setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute);
  }
  ~LoopbackConnection() { close(file_); }

  /// Returns false once the other side has closed the connection.
  bool write(const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t count = send(file_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  /// Reads and drops this many bytes; returns their number, which is smaller only at the end.
  std::size_t read_up_to(std::size_t count_bytes) {
    std::vector<char> dropped(count_bytes);
    const ssize_t count = recv(file_, dropped.data(), dropped.size(), MSG_WAITALL);
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  }

  /// Returns everything up to the end of the connection, or up to a minute of silence.
  std::string read_to_end() {
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = recv(file_, part.data(), part.size(), 0)) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int file_;
};

/// Begins requests to 127.0.0.1:port, none of which ends.
inline std::vector<std::unique_ptr<LoopbackConnection>> open_half_requests(int port, int count) {
  std::vector<std::unique_ptr<LoopbackConnection>> connections;
  for (int i = 0; i < count; ++i) {
    connections.push_back(std::make_unique<LoopbackConnection>(port));
    connections.back()->write("GET /");
  }
  return connections;
}

struct HttpAnswer {
  int status = 0;
  std::string head;
  std::string body;
};

/// Sends one request to 127.0.0.1:port and returns the answer. `headers` are lines that end in
/// CRLF.
inline HttpAnswer http_request(int port, const std::string& method_and_path,
                               const std::string& headers = "", const std::string& body = "") {
  LoopbackConnection connection(port);
  std::string request = method_and_path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  connection.write(request + headers + "\r\n" + body);
  const std::string text = connection.read_to_end();
  const auto split = text.find("\r\n\r\n");
  if (split == std::string::npos) throw std::runtime_error("no HTTP answer: " + text);
  return {std::stoi(text.substr(text.find(' ') + 1)), text.substr(0, split),
          text.substr(split + 4)};
}

}  // namespace ganscale
