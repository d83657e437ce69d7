#pragma once

/// Names of what is no operator: scopes in which a rank waits.
namespace ganscale::profile {

inline constexpr const char* kAllReduceWait = "wait for all-reduce";
inline constexpr const char* kDataWait = "wait for data";
inline constexpr const char* kRoleWait = "wait for the other role";

}  // namespace ganscale::profile
