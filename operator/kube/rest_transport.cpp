#include "kube/rest_transport.h"

// cpprestsdk's macro U is a name that other libraries use.
#define _TURN_OFF_PLATFORM_STRING  // NOLINT: theirs, not ours
#include <cpprest/http_client.h>
#include <pplx/threadpool.h>

#include <array>
#include <mutex>

#include "base/error.h"
#include "base/non_copyable.h"

namespace ganscale::controller {
namespace {

namespace http = web::http;

// They carry bytes and never wait; cpprestsdk's own default is 40.
constexpr int kThreads = 4;
constexpr std::size_t kPartBytes = 64 * 1024;

void start_threads() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      crossplat::threadpool::initialize_with_threads(kThreads);
    } catch (const std::exception&) {
      // Another part of the program uses them already: their number stays.
    }
  });
}

boost::asio::const_buffer buffer(const std::string& text) {
  return boost::asio::buffer(text.data(), text.size());
}

void set_up_tls(boost::asio::ssl::context& context, const ClusterAccess& access) {
  if (!access.ca_pem.empty()) context.add_certificate_authority(buffer(access.ca_pem));
  if (access.client_certificate_pem.empty()) return;
  context.use_certificate_chain(buffer(access.client_certificate_pem));
  context.use_private_key(buffer(access.client_key_pem), boost::asio::ssl::context::pem);
}

/// Throws ConfigError if certificates can't be read. Otherwise, each connection would fail.
void require_certificates(const ClusterAccess& access) {
  try {
    boost::asio::ssl::context probe(boost::asio::ssl::context::tls_client);
    set_up_tls(probe, access);
  } catch (const std::exception& error) {
    throw ConfigError("can't read a certificate or its key for " + access.server + ": " +
                      error.what());
  }
}

http::client::http_client_config config_of(const ClusterAccess& access, std::chrono::seconds idle) {
  http::client::http_client_config config;
  config.set_timeout(idle);
  config.set_validate_certificates(!access.insecure);
  config.set_ssl_context_callback(
      [access](boost::asio::ssl::context& context) { set_up_tls(context, access); });
  return config;
}

HttpResponse head_of(const http::http_response& response) {
  HttpResponse head{.status = response.status_code(), .body = {}, .retry_after = {}};
  int seconds = 0;
  if (response.headers().match("Retry-After", seconds)) {
    head.retry_after = std::chrono::seconds(seconds);
  }
  return head;
}

/// Reads a body to its end, part by part, or until `on_bytes` throws: returns what it threw.
std::exception_ptr read_body(const http::http_response& response,
                             const std::function<void(std::string_view)>& on_bytes) {
  auto stream = response.body().streambuf();
  std::array<std::uint8_t, kPartBytes> part{};
  while (const std::size_t count = stream.getn(part.data(), 1).get()) {
    // What has come by now goes with the first byte; more is not waited for.
    const std::size_t ready = std::min(stream.in_avail(), part.size() - 1);
    const std::size_t more = ready > 0 ? stream.getn(part.data() + 1, ready).get() : 0;
    try {
      on_bytes({reinterpret_cast<const char*>(part.data()), count + more});
    } catch (...) {
      return std::current_exception();
    }
  }
  return nullptr;
}

/// A source that is canceled with a token, too. pplx's own linked source stays registered with the
/// token: each watch would leave one behind.
class LinkedSource : NonCopyable {
 public:
  explicit LinkedSource(const pplx::cancellation_token& token)
      : token_(token),
        registration_(token_.register_callback([source = source_] { source.cancel(); })) {}
  ~LinkedSource() { token_.deregister_callback(registration_); }

  pplx::cancellation_token token() const { return source_.get_token(); }
  void cancel() const { source_.cancel(); }

 private:
  const pplx::cancellation_token_source source_;
  const pplx::cancellation_token token_;
  const pplx::cancellation_token_registration registration_;
};

}  // namespace

struct RestTransport::Impl {
  Impl(const ClusterAccess& access, std::chrono::seconds idle)
      : user_agent(access.user_agent),
        credentials(access),
        client(access.server, config_of(access, idle)) {}

  http::http_request message(const HttpRequest& request) {
    http::http_request message(request.method);
    message.set_request_uri(request.path);
    message.headers().add("Accept", request.accept);
    message.headers().add("User-Agent", user_agent);
    const std::string token = credentials.token();
    if (!token.empty()) message.headers().add("Authorization", "Bearer " + token);
    if (!request.body.empty()) message.set_body(request.body, request.content_type);
    return message;
  }

  const std::string user_agent;
  Credentials credentials;
  http::client::http_client client;
  pplx::cancellation_token_source stopped;
};

RestTransport::RestTransport(const ClusterAccess& access, std::chrono::seconds idle) {
  start_threads();
  require_certificates(access);
  try {
    impl_ = std::make_unique<Impl>(access, idle);
  } catch (const std::exception& error) {
    throw ConfigError("can't use the server's address: " + access.server + ": " + error.what());
  }
}

RestTransport::~RestTransport() = default;

HttpResponse RestTransport::send(const HttpRequest& request) {
  try {
    const auto response = impl_->client.request(impl_->message(request)).get();
    HttpResponse answer = head_of(response);
    answer.body = response.extract_utf8string(/*ignore_content_type=*/true).get();
    return answer;
  } catch (const std::exception& error) {
    throw TransportError(request.method + " " + request.path + ": " + error.what());
  }
}

HttpResponse RestTransport::stream(const HttpRequest& request,
                                   const std::function<void(std::string_view)>& on_bytes) {
  HttpResponse answer;
  std::exception_ptr thrown;
  try {
    const LinkedSource source(impl_->stopped.get_token());
    const auto response = impl_->client.request(impl_->message(request), source.token()).get();
    answer = head_of(response);
    if (answer.status == http::status_codes::OK) {
      thrown = read_body(response, on_bytes);
    } else {
      answer.body = response.extract_utf8string(/*ignore_content_type=*/true).get();
    }
    if (thrown) source.cancel();  // else the rest would be read all the same
  } catch (const std::exception& error) {
    throw TransportError(request.method + " " + request.path + ": " + error.what());
  }
  if (thrown) std::rethrow_exception(thrown);
  return answer;
}

void RestTransport::stop() { impl_->stopped.cancel(); }

void RestTransport::refresh() { impl_->credentials.refresh(); }

}  // namespace ganscale::controller
