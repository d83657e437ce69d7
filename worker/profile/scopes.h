#pragma once

/// Names of scopes in which a rank waits, which are not operators.
namespace ganscale::profile {

inline constexpr const char* kAllReduceWait = "wait for all-reduce";
inline constexpr const char* kDataWait = "wait for data";
inline constexpr const char* kRoleWait = "wait for the other role";

}  // namespace ganscale::profile
