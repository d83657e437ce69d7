#include "http/tls.h"

#include <unistd.h>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ganscale::http {
namespace {

using Context = Tls::Context;

[[noreturn]] void fail(const char* what, const std::string& why, const std::string& file) {
  throw TlsError(std::string("can't use the ") + what + " (" + why + "): " + file);
}

/// Calls use(file, error). OpenSSL has no words for why a file can't be read.
template <class Use>
void load_file(const char* what, const std::string& file, Use use) {
  if (::access(file.c_str(), R_OK) != 0) fail(what, std::strerror(errno), file);
  boost::system::error_code error;
  use(file, error);
  if (error) fail(what, error.message(), file);
}

std::shared_ptr<Context> load(const TlsFiles& files) {
  auto context = std::make_shared<Context>(Context::tls_server);
  context->set_options(Context::default_workarounds | Context::no_tlsv1 | Context::no_tlsv1_1);
  boost::system::error_code error;
  // Without this, OpenSSL would ask the terminal for a passphrase.
  context->set_password_callback([](std::size_t, Context::password_purpose) { return ""; }, error);
  load_file("certificate", files.certificate, [&](const std::string& file, auto& failure) {
    context->use_certificate_chain_file(file, failure);
  });
  load_file("key", files.key, [&](const std::string& file, auto& failure) {
    context->use_private_key_file(file, Context::pem, failure);
  });
  return context;
}

}  // namespace

Tls::Tls(TlsFiles files) : files_(std::move(files)), context_(load(files_)) {}

std::shared_ptr<Context> Tls::context() {
  try {
    context_ = load(files_);
  } catch (const TlsError&) {  // half replaced, perhaps
  }
  return context_;
}

}  // namespace ganscale::http
