#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ganscale {

/// A certificate for 127.0.0.1 that vouches for itself, and its key, as PEM files.
struct OwnCertificate {
  std::filesystem::path certificate;
  std::filesystem::path key;

  /// Makes, or replaces, NAME.crt and NAME.key in a folder; the certificate's subject is CN=name.
  OwnCertificate(const std::filesystem::path& folder, const std::string& name)
      : certificate(folder / (name + ".crt")), key(folder / (name + ".key")) {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj "
        "/CN=" +
        name + " -addext subjectAltName=IP:127.0.0.1 -keyout '" + key.string() + "' -out '" +
        certificate.string() + "' 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
};

}  // namespace ganscale
