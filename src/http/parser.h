// Incremental, strict HTTP/1.1 message parser over llhttp.
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
// Everything ambiguous is refused (facts: RFC 9112 sections 2 to 7; the accept/reject list is in
// parser_test.cc): llhttp in strict mode plus a guard of our own for what it still lets through.
// The result is the same for every split of the input.
// One thread at a time. Holds no reference to input after next() returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/head.h"

namespace slipstream::http {

// Why a message was refused. Each has one status to answer with (status_of) and one sentence.
enum class Refusal {
  kNone,
  kBadRequestLine,       // 400
  kBadStatusLine,        // response side only
  kBadField,             // 400: obs-fold, bare LF, bad name, control byte, empty name ...
  kBadFraming,           // 400: CL+TE, two CL, chunk syntax, TE other than a single chunked ...
  kBadHost,              // 400: none or two
  kBadTarget,            // 400: not origin-form, CONNECT, absolute
  kUnsupportedVersion,   // 505
  kLineTooLong,          // 414 for a request target
  kHeadTooLarge,         // 431
  kTooManyFields,        // 431
  kBodyTooLarge,         // 413
  kMethodNotAllowed,     // 405: TRACE, CONNECT
};
int status_of(Refusal refusal);
std::string_view sentence_of(Refusal refusal);

struct Limits {
  std::size_t line_bytes_max = 8 * 1024;
  std::size_t head_bytes_max = 32 * 1024;
  std::size_t fields_max = 100;
  std::uint64_t body_bytes_max = 16 * 1024 * 1024;  // decoded bytes; UINT64_MAX = no limit
};

class Parser {
 public:
  enum class Kind { kRequest, kResponse };
  enum class Step {
    kNeedMore,   // all input consumed, message not complete
    kHead,       // head() is complete (also for 1xx responses, whose kComplete follows at once)
    kBody,       // body() holds the next decoded body bytes, a view into the input
    kComplete,   // the message is complete; the rest of the input belongs to the next message
    kRefused,    // refusal() says why; the connection must not be used any more
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
  std::string_view body() const;
  Refusal refusal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slipstream::http
