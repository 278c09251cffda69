// Incremental, strict HTTP/1.1 message parser.
//
// Pull style, so that the caller's loop reads top to bottom:
//
//   Parser parser(Parser::Kind::kRequest, limits);
//   std::string_view in = ...;                  // whatever a read returned
//   for (;;) {
//     const Parser::Step step = parser.next(in);   // consumes from the front of `in`
//     if (step == Parser::Step::kNeedMore) break;  // `in` is empty now
//     ...
//   }
//
// Everything ambiguous is refused (RFC 9112 sections 2 to 7; the accept/reject list is in
// parser_test.cc). A head passes only if llhttp in strict mode and a guard of our own both accept
// it and find the same lines and framing; a chunked body is decoded here, with llhttp as its oracle
// in the test. The result is the same for every split of the input. One thread at a time. Holds no
// reference to input after next() returns.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "http/head.h"
#include "http/limits.h"
#include "http/refusal.h"

namespace slipstream::http {

class Parser {
 public:
  enum class Kind { kRequest, kResponse };
  enum class Step {
    kNeedMore,  // all input consumed, message not complete
    kHead,      // head() is complete (also for 1xx responses, whose kComplete follows at once)
    kBody,      // body() holds the next decoded body bytes, a view into the input
    kComplete,  // the message is complete; the rest of the input belongs to the next message
    kRefused,   // refusal() says why; the connection must not be used any more
  };

  Parser(Kind kind, const Limits& limits);
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  // Advances to the next step, removing what was consumed from the front of `input`.
  // After kComplete the next call begins the next message (its head() replaces the old one).
  Step next(std::string_view& input);

  // The peer closed its side. kComplete if that ends a kUntilClose body or falls between messages,
  // kRefused if it cuts a message short.
  Step finish();

  // Response side, before the response's first byte: the request was HEAD, so no body follows
  // whatever the head says. Applies to the next final response only.
  void expect_no_body();
  // Request side: overrides limits.body_bytes_max for the message whose head was just delivered.
  void set_body_bytes_max(std::uint64_t bytes);

  // True between messages: no byte of a new message was seen (leading CRLF does not count, but is
  // bounded).
  bool idle() const;
  // True if at least one byte of the current message was seen.
  bool started() const { return !idle(); }

  const Head& head() const;
  Head take_head();  // moves the head out; valid once per message, after kHead
  // The same by exchange, so that the memory of `other` is used for the next message.
  void swap_head(Head& other);
  std::string_view body() const;
  Refusal refusal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slipstream::http
