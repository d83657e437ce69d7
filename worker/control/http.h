#pragma once

// cpprestsdk's macro U collides with names of other libraries.
#define _TURN_OFF_PLATFORM_STRING  // NOLINT: theirs, not ours
#include <cpprest/http_listener.h>

#include <string>

/// What servers by cpprestsdk have in common.
namespace ganscale::control {

/// Returns a free port of an IPv4 address, since cpprestsdk treats 0 as 80; 0 if the address is not
/// one of this machine.
int free_port(const std::string& address);

/// Starts the threads of cpprestsdk, which all servers of a process share. Must be called before a
/// listener is opened.
void start_threads();

/// Returns the value of a header, empty without one.
std::string header(const web::http::http_request& request, const char* name);

/// Stops reading a body, which cpprestsdk would buffer without limit.
void stop_reading(const web::http::http_request& request);

/// Sends a response. Ignores errors of clients that have disconnected.
void send(const web::http::http_request& request, web::http::http_response& response,
          bool close_connection);

}  // namespace ganscale::control
