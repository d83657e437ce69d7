#include "control/http.h"

#include <arpa/inet.h>
#include <pplx/threadpool.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>

namespace ganscale::control {
namespace {

// Handlers never wait, but closing the listener waits on a thread of the pool: with only one it
// would hang.
constexpr int kThreads = 2;

}  // namespace

int free_port(const std::string& address) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  socklen_t length_bytes = sizeof name;
  const bool found = inet_pton(AF_INET, address.c_str(), &name.sin_addr) == 1 &&
                     bind(file, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 &&
                     getsockname(file, reinterpret_cast<sockaddr*>(&name), &length_bytes) == 0;
  close(file);
  return found ? ntohs(name.sin_port) : 0;
}

void start_threads() {
  static std::once_flag once;
  // The default is 40 threads.
  std::call_once(once, [] { crossplat::threadpool::initialize_with_threads(kThreads); });
}

std::string header(const web::http::http_request& request, const char* name) {
  const auto found = request.headers().find(name);
  return found == request.headers().end() ? "" : found->second;
}

void stop_reading(const web::http::http_request& request) {
  // Only closing the buffer with an error does that; otherwise it is written to forever.
  request.body().streambuf().close(
      std::ios_base::out, std::make_exception_ptr(std::runtime_error("refused by its head")));
}

void send(const web::http::http_request& request, web::http::http_response& response,
          bool close_connection) {
  if (close_connection) response.headers().add("Connection", "close");
  request.reply(response).then([](const pplx::task<void>& sent) {
    try {
      sent.get();
    } catch (const std::exception&) {
      // The client has disconnected.
    }
  });
}

}  // namespace ganscale::control
