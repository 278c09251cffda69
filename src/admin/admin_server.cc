#include "admin/admin_server.h"

#include <algorithm>
#include <array>
#include <vector>

#include "http/parser.h"
#include "http/write.h"

namespace slipstream::admin {

namespace {
constexpr seconds kIdle{75};
constexpr std::size_t kReadBytes = 16 * 1024;
// A peer that asks on and on without reading gets no more answers on top of these.
constexpr std::size_t kUnsentBytesMax = 4 * 1024 * 1024;
}  // namespace

class AdminServer::Connection final : public net::StreamHandler {
 public:
  Connection(AdminServer& server, std::unique_ptr<net::ByteStream> stream)
      : server_(server),
        stream_(std::move(stream)),
        parser_(http::Parser::Kind::kRequest, http::Limits{}),
        idle_(server.reactor_, [this] { close(); }) {
    stream_->set_handler(this);
    idle_.set(server.reactor_.now() + kIdle);
  }

  void on_readable() override {
    std::array<char, kReadBytes> buffer;
    while (!closed_) {
      const net::IoResult got = stream_->read(buffer);
      if (got.status == net::IoStatus::kWouldBlock) return;
      if (got.status != net::IoStatus::kOk) return close();
      idle_.set(server_.reactor_.now() + kIdle);
      feed(std::string_view(buffer.data(), got.bytes));
    }
  }

  void on_writable() override { flush(); }

 private:
  void feed(std::string_view input) {
    while (!closed_ && !close_when_sent_) {
      switch (parser_.next(input)) {
        case http::Parser::Step::kNeedMore:
          return;
        case http::Parser::Step::kHead:
          body_.clear();
          if (parser_.head().expects_continue()) out_ += "HTTP/1.1 100 Continue\r\n\r\n";
          flush();
          break;
        case http::Parser::Step::kBody:
          body_.append(parser_.body());
          break;
        case http::Parser::Step::kComplete:
          answer(page_for(server_.sources_, parser_.head(), body_));
          break;
        case http::Parser::Step::kRefused:
          return refuse();
      }
    }
  }

  void answer(const Page& page) {
    if (out_.size() > kUnsentBytesMax) return close();
    const bool keep = parser_.head().keep_alive();
    write_page(page, keep ? "keep-alive" : "close",
               parser_.head().method() == "HEAD" ? "" : page.body);
    if (!keep) close_when_sent_ = true;
    flush();
  }

  void refuse() {
    Page page;
    page.status = http::status_of(parser_.refusal());
    page.content_type = "text/plain; charset=utf-8";
    page.body = std::string(http::sentence_of(parser_.refusal())) + "\n";
    write_page(page, "close", page.body);
    close_when_sent_ = true;
    flush();
  }

  void write_page(const Page& page, std::string_view connection, std::string_view body) {
    http::append_status_line(out_, page.status);
    http::append_field(out_, "content-type", page.content_type);
    http::append_field(out_, "content-length", page.body.size());
    http::append_field(out_, "cache-control", "no-store");
    http::append_field(out_, "connection", connection);
    http::append_end_of_head(out_);
    out_ += body;
  }

  void flush() {
    while (!closed_ && !out_.empty()) {
      const net::IoResult sent = stream_->write(std::string_view(out_));
      if (sent.status == net::IoStatus::kWouldBlock) return;
      if (sent.status != net::IoStatus::kOk) return close();
      out_.erase(0, sent.bytes);
    }
    if (close_when_sent_) close();
  }

  void close() {
    if (closed_) return;
    closed_ = true;
    stream_->close();
    server_.drop(this);
  }

  AdminServer& server_;
  std::unique_ptr<net::ByteStream> stream_;
  http::Parser parser_;
  std::string body_;
  std::string out_;
  net::Timer idle_;
  bool close_when_sent_ = false;
  bool closed_ = false;
};

AdminServer::AdminServer(net::Reactor& reactor, Sources sources)
    : reactor_(reactor), sources_(std::move(sources)) {}

AdminServer::~AdminServer() = default;

Result<std::unique_ptr<AdminServer>, net::ListenError> AdminServer::open(net::Reactor& reactor,
                                                                         const std::string& address,
                                                                         Sources sources) {
  std::unique_ptr<AdminServer> server(new AdminServer(reactor, std::move(sources)));
  net::ListenOptions options;
  options.address = address;
  auto listener = net::Listener::open(reactor, options, server.get());
  if (!listener) return Failure{listener.error()};
  server->listener_ = std::move(*listener);
  return server;
}

void AdminServer::on_accepted(std::unique_ptr<net::ByteStream> stream) {
  if (connections_.size() >= kConnectionsMax) return;
  connections_.push_back(std::make_shared<Connection>(*this, std::move(stream)));
  connections_.back()->on_readable();
}

void AdminServer::drop(Connection* connection) {
  const auto at =
      std::find_if(connections_.begin(), connections_.end(),
                   [connection](const auto& entry) { return entry.get() == connection; });
  if (at == connections_.end()) return;
  // It is on the stack now.
  reactor_.defer([keep = std::move(*at)] {});
  connections_.erase(at);
}

}  // namespace slipstream::admin
