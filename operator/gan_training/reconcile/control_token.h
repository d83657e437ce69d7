#pragma once

#include <string>

#include "kube/client.h"

namespace ganscale::controller::gan_training {

/// Returns the key that control tokens are derived from, shared by all operators of this namespace.
/// It is generated once and kept in the Secret ganscale-operator-key.
/// Throws ApiError, TransportError; ConfigError if the Secret has no key.
std::string read_token_key(Client& client, const std::string& name_space);

/// Derives the bearer token of a training's control port: HMAC-SHA256 of its uid, in hexadecimal.
std::string control_token(const std::string& key, const std::string& uid);

}  // namespace ganscale::controller::gan_training
