#pragma once

#include "data/storage/storage.h"

namespace ganscale::data {

/// Returns the buckets of Amazon S3, or of a server with its interface, by Arrow's file system.
///
/// Paths are s3://BUCKET/KEY; a folder is what keys begin with before a `/`. The environment says what
/// the AWS command line takes from it, too:
///   AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL   another server's address, http[s]://HOST[:PORT]
///   AWS_REGION, AWS_DEFAULT_REGION          by default the bucket's; of another server us-east-1
///   AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE and the other sources of
///   credentials that the AWS SDK knows; without any, requests are not signed, as public buckets allow
///   AWS_CA_BUNDLE, SSL_CERT_FILE            certificate authorities; by default the system's
///
/// Throws: DataError that this build cannot read S3 (s3_storage_stub.cpp).
///         Its functions: ConfigError for an endpoint that is no URL, a path without a bucket.
const Storage& s3_storage();

}  // namespace ganscale::data
