// For tests and fuzz targets: everything a parser says about some bytes, as one comparable string.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/parser.h"

namespace slipstream::http {

struct Transcript {
  std::string text;    // "(" head "|" body ")" per message, "!" and a sentence if refused
  std::string bodies;  // "(" body ")" per message, "!" if refused
  Refusal refusal = Refusal::kNone;
  bool operator==(const Transcript&) const = default;
};

inline std::string describe(const Head& head) {
  std::string out(head.method());
  out.append(" ").append(head.target()).append(" ").append(std::to_string(head.status()));
  out.append(" 1.").append(std::to_string(head.minor_version()));
  out.append(" framing").append(std::to_string(static_cast<int>(head.framing())));
  out.append(" length").append(std::to_string(head.content_length()));
  out.append(head.keep_alive() ? " keep" : " close");
  out.append(head.expects_continue() ? " continue" : "");
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    out.append(" [").append(head.field(i).name).append("=").append(head.field(i).value).append("]");
  }
  return out;
}

// `piece_bytes(rest)` says how many of the `rest` bytes to feed next; the last piece is followed by
// finish().
inline Transcript transcribe(Parser& parser, std::string_view bytes,
                             const std::function<std::size_t(std::size_t)>& piece_bytes) {
  Transcript out;
  const auto note = [&](Parser::Step step) {
    switch (step) {
      case Parser::Step::kHead:
        out.text.append("(").append(describe(parser.head())).append("|");
        out.bodies.append("(");
        break;
      case Parser::Step::kBody:
        SLIP_CHECK(!parser.body().empty());
        out.text.append(parser.body());
        out.bodies.append(parser.body());
        break;
      case Parser::Step::kComplete:
        out.text.append(")");
        out.bodies.append(")");
        break;
      case Parser::Step::kRefused:
        out.refusal = parser.refusal();
        out.text.append("!").append(sentence_of(out.refusal));
        out.bodies.append("!");
        break;
      case Parser::Step::kNeedMore:
        break;
    }
    return step;
  };
  while (!bytes.empty()) {
    const std::string piece(bytes.substr(0, piece_bytes(bytes.size())));
    bytes.remove_prefix(piece.size());
    std::string_view input = piece;
    Parser::Step step;
    while ((step = note(parser.next(input))) != Parser::Step::kNeedMore) {
      if (step == Parser::Step::kRefused) return out;
    }
    SLIP_CHECK(input.empty());
  }
  if (!parser.idle()) note(parser.finish());
  return out;
}

}  // namespace slipstream::http
