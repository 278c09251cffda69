#include "lab/fetch.h"

#include <array>
#include <utility>

#include "http/write.h"

namespace slipstream::lab {

namespace {

constexpr Duration kTimeout = seconds(5);

}  // namespace

Fetch::Fetch(net::Reactor& reactor, const Target& target, std::string_view path, DoneFn done)
    : done_(std::move(done)),
      parser_(http::Parser::Kind::kResponse, http::Limits{}),
      timeout_(reactor, [this] { end(std::nullopt); }),
      connector_(reactor, nullptr) {
  http::append_request_line(request_, "GET", target.path + std::string(path));
  http::append_field(request_, "host", target.host);
  http::append_field(request_, "connection", "close");
  http::append_end_of_head(request_);
  timeout_.set(reactor.now() + kTimeout);
  pending_ = connector_.connect(target.address, to_ms(kTimeout), this);
}

void Fetch::on_connected(std::unique_ptr<net::ByteStream> stream) {
  stream_ = std::move(stream);
  stream_->set_handler(this);
  // A fresh connection takes a few hundred bytes at once.
  if (stream_->write(request_).bytes != request_.size()) return end(std::nullopt);
  on_readable();
}

void Fetch::on_connect_failed(net::ConnectError) {
  end(std::nullopt);
}

void Fetch::on_readable() {
  std::array<char, 16 * 1024> bytes;
  while (done_) {
    const net::IoResult got = stream_->read(bytes);
    if (got.status == net::IoStatus::kWouldBlock) return;
    if (got.status != net::IoStatus::kOk) return end(std::nullopt);
    take({bytes.data(), got.bytes});
  }
}

void Fetch::take(std::string_view bytes) {
  for (;;) {
    switch (parser_.next(bytes)) {
      case http::Parser::Step::kNeedMore:
        return;
      case http::Parser::Step::kHead:
        break;
      case http::Parser::Step::kBody:
        body_ += parser_.body();
        break;
      case http::Parser::Step::kComplete:
        if (parser_.head().status() == 200) return end(std::move(body_));
        return end(std::nullopt);
      case http::Parser::Step::kRefused:
        return end(std::nullopt);
    }
  }
}

void Fetch::end(std::optional<std::string> body) {
  timeout_.cancel();
  if (stream_) stream_->close();
  if (done_) std::exchange(done_, {})(std::move(body));
}

}  // namespace slipstream::lab
