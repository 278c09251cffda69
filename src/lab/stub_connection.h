// One client connection of the stub model server: requests in order, one call at a time.
//
// While a call runs the connection keeps reading, so that a caller who leaves is noticed; what
// arrives meanwhile (pipelined requests) waits. A caller who half-closes while his call has to wait
// counts as gone, as it does with uvicorn.
// Thread rule: the loop's thread. After on_closed the owner destroys it in a later turn.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/parser.h"
#include "lab/answer.h"
#include "lab/stub_state.h"
#include "net/loop.h"
#include "net/stream.h"

namespace slipstream::lab {

class StubConnection final : private net::StreamHandler {
 public:
  // `state` outlives the connection. `on_closed` is called once, possibly from inside start().
  StubConnection(net::Loop& loop, std::unique_ptr<net::ByteStream> stream, StubState& state,
                 std::function<void()> on_closed);
  void start() { on_readable(); }

 private:
  struct Call {
    AnswerWriter writer;
    Timeline timeline;
    StubScript script;
    std::string body;  // of an answer that is not streamed
    Step step;         // what happens next
    Time due;          // and when; kNever = nothing any more
  };
  enum class State { kOpen, kLingering, kClosed };
  enum class AfterFlush { kKeep, kClose, kReset };
  enum class BodyFraming { kChunked, kUntilClose };

  void on_readable() override;
  void on_writable() override;

  void advance();
  bool receive();       // true if bytes came
  bool next_request();  // false if its end has not come yet
  void dispatch();
  void serve_page();  // what is no call
  void begin_call(Surface surface);
  bool run_call();  // true when the call has ended
  void play(const Step& step);
  void play_last(StepKind kind);
  void end_call(AfterFlush after);
  void append_body(std::string_view bytes);
  void open_stream();
  void refuse(int status, std::string_view message, ErrorShape shape = ErrorShape::kOpenAi);
  void respond(int status, std::string_view body, std::size_t bytes_sent,
               std::string_view type = "application/json");
  void respond(int status, std::string_view body) { respond(status, body, body.size()); }
  void flush();
  void caller_gone();
  void close();

  net::Loop& loop_;
  std::unique_ptr<net::ByteStream> stream_;
  StubState& stub_;
  std::function<void()> on_closed_;
  http::Parser parser_;
  json::Canonicalizer canonicalizer_;
  net::Timer timer_;

  State state_ = State::kOpen;
  bool peer_done_ = false;
  std::string held_;  // received, not parsed yet from held_at_
  std::size_t held_at_ = 0;
  std::string body_;  // of the request being read
  std::optional<Call> call_;
  std::string events_;  // scratch
  std::string out_;     // to be written from out_at_
  std::size_t out_at_ = 0;
  AfterFlush after_flush_ = AfterFlush::kKeep;
  BodyFraming framing_ = BodyFraming::kChunked;
};

}  // namespace slipstream::lab
