#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

namespace ganscale {

/// Returns a port of 127.0.0.1 that was free a moment ago, another one in each call.
///
/// It is not one of those that the system picks for connections, of which other tests open many;
/// and other processes begin their search elsewhere.
inline int free_port() {
  constexpr int kFirst = 20'000;
  constexpr int kSpan = 10'000;
  static int next = kFirst + getpid() % kSpan;
  while (true) {
    const int port = next++;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool is_free =
        bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(listener);
    if (is_free) return port;
  }
}

}  // namespace ganscale
