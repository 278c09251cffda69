// One raw caller: sends bytes, reads the answer with a strict parser, leaves as the test says.
//
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <string_view>

#include "faults/gate.h"
#include "faults/wire.h"
#include "http/parser.h"

namespace slipstream::faults {

struct Answer {
  enum class End { kOpen, kFin, kReset };

  http::Head head;
  bool headed = false;
  std::string body;       // decoded
  std::string wire;       // as it came, interim answers included
  bool complete = false;  // the framing says that nothing is missing
  End end = End::kOpen;   // of the connection
  int interim = 0;        // 1xx answers before the head

  int status() const { return headed ? head.status() : 0; }
  std::string_view field(std::string_view name) const { return head.find(name); }
  bool has(std::string_view text) const { return body.find(text) != std::string::npos; }
  // "leader", "follower" or "solo".
  std::string_view role() const {
    return field("x-slipstream").substr(0, field("x-slipstream").find(';'));
  }
  // The data of every chunk on the wire, in order: what the gateway wrote as one piece.
  std::vector<std::string> chunks() const;
};

class Caller {
 public:
  explicit Caller(const Gate& gate, int receive_buffer = 0);
  Caller(Caller&&) = default;

  // A chat completion, or another surface's request; `fields` are further header lines, each with
  // its CRLF.
  Caller& post(std::string_view body, std::string_view fields = {},
               std::string_view path = "/v1/chat/completions");
  Caller& send(std::string_view bytes);
  // Returns when the gateway has read what was sent.
  void flush() { wire_.flush(); }
  // The next answer is one to HEAD: no body follows.
  void expect_no_body() { parser_.expect_no_body(); }

  // What has come of the current answer, once its head is there or its decoded body contains the
  // text. Throws when the answer ends before.
  const Answer& wait_head();
  const Answer& wait_interim();
  const Answer& wait_body(std::string_view text);
  // Takes exactly these bytes off the front of the decoded body; throws if others came.
  void take_body(std::string_view bytes);
  // The whole answer: until its framing ends or the connection does. The next one begins.
  Answer finish();
  // How the connection ended, once it has.
  Answer::End wait_end();

  void half_close() { wire_.fin(); }
  void close() { wire_.close(); }
  void reset() { wire_.reset(); }

 private:
  bool over() const { return answer_.complete || answer_.end != Answer::End::kOpen; }
  // One step of the parser, or one read when it has nothing.
  void advance();

  Wire wire_;
  http::Parser parser_;
  std::string input_;
  Answer answer_;
};

}  // namespace slipstream::faults
