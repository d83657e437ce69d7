#include "gan_training/reconcile/control_token.h"

#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/error.h"
#include "files/hex.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr const char* kTokenKeySecret = "ganscale-operator-key";
constexpr std::size_t kKeyBytes = 32;

std::string random_key() {
  std::string bytes(kKeyBytes, '\0');
  check(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), kKeyBytes) == 1,
        "the system has random bytes");
  return files::hex(bytes);
}

void create_key(Client& client, const Key& key) {
  try {
    client.create(resource::kSecrets,
                  {{"apiVersion", "v1"},
                   {"kind", "Secret"},
                   {"metadata", {{"name", key.name}, {"namespace", key.name_space}}},
                   {"stringData", {{"key", random_key()}}}});
  } catch (const ApiError& error) {
    if (error.code() != 409) throw;  // another was faster
  }
}

}  // namespace

std::string read_token_key(Client& client, const std::string& name_space) {
  const Key key{name_space, kTokenKeySecret};
  if (!client.get(resource::kSecrets, key)) create_key(client, key);
  const auto secret = client.get(resource::kSecrets, key);
  if (!secret) throw ApiError(404, "NotFound", "the Secret was deleted again: " + key.text());
  std::string value = text_at(*secret, "/data/key");
  if (value.empty()) throw ConfigError("the Secret has no data.key: " + key.text());
  return value;
}

std::string control_token(const std::string& key, const std::string& uid) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int length_bytes = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(uid.data()), uid.size(),
       reinterpret_cast<unsigned char*>(digest.data()), &length_bytes);
  return files::hex(digest.substr(0, length_bytes));
}

}  // namespace ganscale::controller::gan_training
