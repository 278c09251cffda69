// One connection to the endpoint: writes a request, reads its answer, tells its attempt.
// Internal to upstream/. Thread rule: the loop's thread.
#pragma once

#include <memory>
#include <string>

#include "http/parser.h"
#include "net/loop.h"
#include "net/stream.h"
#include "upstream/client.h"

namespace slipstream::upstream {

class HttpAttempt;

class Connection final : public net::StreamHandler {
 public:
  Connection(Client& client, std::unique_ptr<net::ByteStream> stream);

  // Lends the connection to an attempt; it sends from now on.
  enum class AnswerBody { kAsFramed, kNone };
  void serve(HttpAttempt* attempt, AnswerBody answer_body);
  // Takes it away; what follows on the wire is nobody's.
  void detach();

  void send(std::string_view head, std::string_view body);
  void upload(std::string_view bytes);
  std::uint64_t unsent() const { return rest_.size() - rest_sent_ + body_rest_.size(); }
  void pause() { paused_ = true; }
  void resume();
  net::Timer& timer() { return timer_; }
  bool reused() const { return served_ > 1; }
  // Complete, framed, agreed and nothing behind it.
  bool clean() const { return clean_; }
  void spoil() { clean_ = false; }
  void close() { stream_->close(); }

  void on_readable() override;
  void on_writable() override;

 private:
  static constexpr int kReadsPerTurn = 8;

  void read_some();
  // False when reading must stop: the attempt ended or went away.
  bool feed(std::string_view input);
  void finish_message(std::string_view rest);
  void closed(net::IoStatus status);
  void flush();

  Client& client_;
  std::unique_ptr<net::ByteStream> stream_;
  HttpAttempt* attempt_ = nullptr;
  http::Parser parser_;
  std::string rest_;  // head or upload bytes not sent yet
  std::size_t rest_sent_ = 0;
  std::string_view body_rest_;  // whole body not sent yet, owned by the call
  std::uint32_t served_ = 0;
  bool response_started_ = false;
  bool paused_ = false;
  bool clean_ = false;
  bool keep_ = false;
  bool final_ = false;  // the head was of the answer, not of a 1xx before it
  net::Timer timer_;
  net::Timer again_;  // more to read, but others want their turn
};

}  // namespace slipstream::upstream
