// A small HTTP/1.1 server for the admin pages: keep-alive, whole answers, few connections.
// Thread rule: the reactor's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admin/pages.h"
#include "base/result.h"
#include "net/reactor.h"
#include "net/socket.h"

namespace slipstream::admin {

class AdminServer final : private net::AcceptHandler {
 public:
  static Result<std::unique_ptr<AdminServer>, net::ListenError> open(net::Reactor& reactor,
                                                                     const std::string& address,
                                                                     Sources sources);
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  const std::string& address() const { return listener_->bound_address(); }

 private:
  class Connection;
  static constexpr std::size_t kConnectionsMax = 256;

  AdminServer(net::Reactor& reactor, Sources sources);
  void on_accepted(std::unique_ptr<net::ByteStream> stream) override;
  void drop(Connection* connection);

  net::Reactor& reactor_;
  Sources sources_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::unique_ptr<net::Listener> listener_;
};

}  // namespace slipstream::admin
