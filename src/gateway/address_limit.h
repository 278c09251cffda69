// How many connections each caller has open, over all workers.
// Thread rule: any thread. Memory: one entry per address with an open connection.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "net/stream.h"

namespace slipstream::gateway {

class AddressLimit {
 public:
  // Precondition: `connections_max` is above zero.
  explicit AddressLimit(std::uint64_t connections_max) : connections_max_(connections_max) {}

  // What counts as one caller: an IPv4 address, or the /64 network of an IPv6 address, because a
  // single host chooses freely among the 2^64 addresses of its network.
  static std::string caller_of(std::string_view numeric_address);

  enum class Entry { kAdmitted, kFull };
  // kAdmitted counts one connection, until leave() with the same caller.
  Entry enter(const std::string& caller);
  void leave(const std::string& caller);

 private:
  const std::uint64_t connections_max_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> open_;
};

// The stream, counted for `caller` until it is destroyed. Precondition: the caller was admitted;
// `limit` outlives the stream.
std::unique_ptr<net::ByteStream> counted(std::unique_ptr<net::ByteStream> stream,
                                         AddressLimit& limit, std::string caller);

}  // namespace slipstream::gateway
