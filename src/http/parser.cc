#include "http/parser.h"

#include <algorithm>
#include <utility>

#include "http/chunk_decoder.h"
#include "http/head_reader.h"

namespace slipstream::http {
namespace {

constexpr int kLeadingBytesMax = 8;  // four empty lines; RFC 9112 section 2.2 asks for one

HeadReader::Kind reader_kind(Parser::Kind kind) {
  return kind == Parser::Kind::kRequest ? HeadReader::Kind::kRequest : HeadReader::Kind::kResponse;
}

// Responses that never have a body, whatever their fields say (RFC 9112 section 6.3).
bool is_bodiless(int status) {
  return status / 100 == 1 || status == 204 || status == 304;
}

}  // namespace

struct Parser::State {
  enum class Phase { kIdle, kHead, kBody, kRefused };

  State(Kind message_kind, const Limits& message_limits)
      : kind(message_kind),
        limits(message_limits),
        reader(reader_kind(message_kind), message_limits),
        chunks(message_limits) {}

  Step refuse(Refusal why);
  Step complete();
  Step next(std::string_view& input);
  Step skip_empty_lines(std::string_view& input);
  Step read_head(std::string_view& input);
  Step read_body(std::string_view& input);
  Step read_chunks(std::string_view& input);
  Step take(std::string_view& input, std::uint64_t bytes_max);

  Kind kind;
  Limits limits;
  Phase phase = Phase::kIdle;
  int leading_bytes = 0;
  bool no_body_expected = false;
  Framing framing = Framing::kNone;  // what applies: a 304 has no body whatever its head says
  std::uint64_t length = 0;          // of a kLength body
  std::uint64_t taken = 0;           // body bytes delivered, except kChunked
  std::uint64_t body_bytes_max = 0;
  HeadReader reader;
  ChunkDecoder chunks;
  Head head;
  std::string_view body;
  Refusal refusal = Refusal::kNone;
};

Parser::Step Parser::State::refuse(Refusal why) {
  phase = Phase::kRefused;
  refusal = why;
  return Step::kRefused;
}

Parser::Step Parser::State::complete() {
  phase = Phase::kIdle;
  leading_bytes = 0;
  return Step::kComplete;
}

Parser::Step Parser::State::next(std::string_view& input) {
  if (phase == Phase::kIdle) {
    const Step step = skip_empty_lines(input);
    if (phase != Phase::kHead) return step;
    head.clear();
  }
  switch (phase) {
    case Phase::kHead:
      return read_head(input);
    case Phase::kBody:
      return read_body(input);
    default:
      return Step::kRefused;
  }
}

// Enters kHead at the first byte of a message.
Parser::Step Parser::State::skip_empty_lines(std::string_view& input) {
  const Refusal malformed =
      kind == Kind::kRequest ? Refusal::kBadRequestLine : Refusal::kBadStatusLine;
  for (; !input.empty(); input.remove_prefix(1)) {
    const bool inside_crlf = leading_bytes % 2 == 1;
    if (input.front() != (inside_crlf ? '\n' : '\r')) {
      if (inside_crlf) return refuse(malformed);
      phase = Phase::kHead;
      return Step::kNeedMore;
    }
    if (kind == Kind::kResponse || ++leading_bytes > kLeadingBytesMax) return refuse(malformed);
  }
  return Step::kNeedMore;
}

Parser::Step Parser::State::read_head(std::string_view& input) {
  switch (reader.read(input, head)) {
    case HeadReader::Step::kNeedMore:
      return Step::kNeedMore;
    case HeadReader::Step::kRefused:
      return refuse(reader.refusal());
    case HeadReader::Step::kHead:
      break;
  }
  phase = Phase::kBody;
  framing = head.framing();
  length = head.content_length();
  taken = 0;
  body_bytes_max = limits.body_bytes_max;
  if (framing == Framing::kChunked) chunks.reset();
  if (kind == Kind::kResponse) {
    if (no_body_expected || is_bodiless(head.status())) framing = Framing::kNone;
    if (head.status() / 100 != 1) no_body_expected = false;
  }
  return Step::kHead;
}

// The bounds are checked here and not with the head: set_body_bytes_max comes in between.
Parser::Step Parser::State::read_body(std::string_view& input) {
  switch (framing) {
    case Framing::kNone:
      return complete();
    case Framing::kChunked:
      return read_chunks(input);
    case Framing::kLength:
      if (length > body_bytes_max) return refuse(Refusal::kBodyTooLarge);
      return taken == length ? complete() : take(input, length - taken);
    case Framing::kUntilClose:
      if (taken >= body_bytes_max && !input.empty()) return refuse(Refusal::kBodyTooLarge);
      return take(input, body_bytes_max - taken);
  }
  return refuse(Refusal::kBadFraming);
}

Parser::Step Parser::State::read_chunks(std::string_view& input) {
  switch (chunks.next(input, body, body_bytes_max)) {
    case ChunkDecoder::Step::kNeedMore:
      return Step::kNeedMore;
    case ChunkDecoder::Step::kData:
      return Step::kBody;
    case ChunkDecoder::Step::kEnd:
      return complete();
    case ChunkDecoder::Step::kRefused:
      break;
  }
  return refuse(chunks.refusal());
}

Parser::Step Parser::State::take(std::string_view& input, std::uint64_t bytes_max) {
  if (input.empty()) return Step::kNeedMore;
  body =
      input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes_max, input.size())));
  input.remove_prefix(body.size());
  taken += body.size();
  return Step::kBody;
}

Parser::Parser(Kind kind, const Limits& limits) : state_(std::make_unique<State>(kind, limits)) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

Parser::Step Parser::next(std::string_view& input) {
  state_->body = {};
  return state_->next(input);
}

Parser::Step Parser::finish() {
  State& state = *state_;
  state.body = {};
  switch (state.phase) {
    case State::Phase::kIdle:
      return Step::kComplete;
    case State::Phase::kRefused:
      return Step::kRefused;
    case State::Phase::kHead:
      return state.refuse(Refusal::kBadFraming);
    case State::Phase::kBody:
      break;
  }
  const bool ended = state.framing == Framing::kNone || state.framing == Framing::kUntilClose ||
                     (state.framing == Framing::kLength && state.taken == state.length);
  return ended ? state.complete() : state.refuse(Refusal::kBadFraming);
}

void Parser::expect_no_body() {
  state_->no_body_expected = true;
}
void Parser::set_body_bytes_max(std::uint64_t bytes) {
  state_->body_bytes_max = bytes;
}

bool Parser::idle() const {
  return state_->phase == State::Phase::kIdle;
}
const Head& Parser::head() const {
  return state_->head;
}
Head Parser::take_head() {
  return std::move(state_->head);
}
void Parser::swap_head(Head& other) {
  state_->head.swap(other);
}
std::string_view Parser::body() const {
  return state_->body;
}
Refusal Parser::refusal() const {
  return state_->refusal;
}

}  // namespace slipstream::http
