#include "gateway/address_limit.h"

#include <arpa/inet.h>

#include <cstring>

#include "base/check.h"

namespace slipstream::gateway {
namespace {

// A caller's stream that is counted as long as it lives.
class CountedStream final : public net::ByteStream {
 public:
  CountedStream(std::unique_ptr<net::ByteStream> stream, AddressLimit& limit, std::string caller)
      : stream_(std::move(stream)), limit_(limit), caller_(std::move(caller)) {}
  ~CountedStream() override { limit_.leave(caller_); }

  void set_handler(net::StreamHandler* handler) override { stream_->set_handler(handler); }
  net::IoResult read(std::span<char> into) override { return stream_->read(into); }
  using ByteStream::write;
  net::IoResult write(std::span<const iovec> pieces) override { return stream_->write(pieces); }
  void close() override { stream_->close(); }
  void shutdown_write() override { stream_->shutdown_write(); }
  void reset() override { stream_->reset(); }
  std::string_view peer_address() const override { return stream_->peer_address(); }

 private:
  std::unique_ptr<net::ByteStream> stream_;
  AddressLimit& limit_;
  const std::string caller_;
};

}  // namespace

std::string AddressLimit::caller_of(std::string_view numeric_address) {
  const std::string text(numeric_address);
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return text;
  char caller[INET6_ADDRSTRLEN] = "";
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, v6.s6_addr + 12, caller, sizeof caller);
    return caller;
  }
  std::memset(v6.s6_addr + 8, 0, 8);
  inet_ntop(AF_INET6, &v6, caller, sizeof caller);
  return std::string(caller) + "/64";
}

AddressLimit::Entry AddressLimit::enter(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  std::uint64_t& open = open_[caller];
  if (open >= connections_max_) return Entry::kFull;
  ++open;
  return Entry::kAdmitted;
}

void AddressLimit::leave(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  const auto at = open_.find(caller);
  SLIP_CHECK(at != open_.end());
  if (--at->second == 0) open_.erase(at);
}

std::unique_ptr<net::ByteStream> counted(std::unique_ptr<net::ByteStream> stream,
                                         AddressLimit& limit, std::string caller) {
  return std::make_unique<CountedStream>(std::move(stream), limit, std::move(caller));
}

}  // namespace slipstream::gateway
