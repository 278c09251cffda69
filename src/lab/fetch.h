// One GET with a small answer, such as the stub's statistics.
// Thread rule: the reactor's thread. Destroying it cancels, also from inside its callback's turn
// but not from inside the callback itself (defer that).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/parser.h"
#include "lab/target.h"
#include "net/connector.h"
#include "net/loop.h"

namespace slipstream::lab {

class Fetch final : private net::StreamHandler, private net::ConnectHandler {
 public:
  // `done` is called once, never from inside the constructor: the body of a 200, else nothing.
  using DoneFn = std::function<void(std::optional<std::string>)>;
  Fetch(net::Reactor& reactor, const Target& target, std::string_view path, DoneFn done);

 private:
  void on_connected(std::unique_ptr<net::ByteStream> stream) override;
  void on_connect_failed(net::ConnectError error) override;
  void on_readable() override;
  void on_writable() override {}
  void take(std::string_view bytes);
  void end(std::optional<std::string> body);

  DoneFn done_;
  std::string request_;
  std::string body_;
  http::Parser parser_;
  net::Timer timeout_;
  net::TcpConnector connector_;
  std::unique_ptr<net::ByteStream> stream_;
  std::unique_ptr<net::PendingConnect> pending_;
};

}  // namespace slipstream::lab
