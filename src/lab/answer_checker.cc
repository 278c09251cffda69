#include "lab/answer_checker.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "json/reader.h"

namespace slipstream::lab {

namespace {

constexpr std::uint64_t kHashSeed = 0xcbf29ce484222325ULL;  // FNV-1a
constexpr std::uint64_t kHashPrime = 0x100000001b3ULL;
constexpr std::uint64_t kChoicesMax = 1024;

http::Limits limits() {
  http::Limits limits;
  limits.body_bytes_max = std::numeric_limits<std::uint64_t>::max();
  return limits;
}

}  // namespace

AnswerChecker::AnswerChecker(Delivery delivery, TokenCheck tokens)
    : delivery_(delivery), token_check_(tokens), parser_(http::Parser::Kind::kResponse, limits()) {}

void AnswerChecker::begin() {
  splitter_ = sse::Splitter();
  body_.clear();
  choices_.clear();
  answer_ = {};
  answer_.body_hash = kHashSeed;
  headed_ = interim_ = complete_ = done_ = keep_alive_ = false;
}

AnswerChecker::State AnswerChecker::state() const {
  if (complete_) return State::kComplete;
  return answer_.defect == Defect::kNone ? State::kReading : State::kFailed;
}

AnswerChecker::State AnswerChecker::feed(std::string_view bytes) {
  while (state() == State::kReading) {
    switch (parser_.next(bytes)) {
      case http::Parser::Step::kNeedMore:
        return state();
      case http::Parser::Step::kHead:
        take_head();
        break;
      case http::Parser::Step::kBody:
        take_body(parser_.body());
        break;
      case http::Parser::Step::kComplete:
        if (interim_) break;
        complete_ = true;
        conclude();
        break;
      case http::Parser::Step::kRefused:
        fail(Defect::kFraming, http::sentence_of(parser_.refusal()));
        break;
    }
  }
  if (complete_ && !bytes.empty()) {
    complete_ = false;
    fail(Defect::kFraming, "bytes after the end of the answer");
  }
  return state();
}

AnswerChecker::State AnswerChecker::finish() {
  if (state() != State::kReading) return state();
  if (headed_ && parser_.finish() == http::Parser::Step::kComplete) {
    complete_ = true;
    keep_alive_ = false;
    conclude();
  } else {
    fail(Defect::kCut, headed_ ? "inside the body" : "before the answer");
  }
  return state();
}

void AnswerChecker::leave() {
  conclude_tokens();
}

void AnswerChecker::take_head() {
  const http::Head& head = parser_.head();
  answer_.status = head.status();
  interim_ = head.status() < 200;
  if (interim_) return;
  headed_ = true;
  keep_alive_ = head.keep_alive();
  answer_.role = role_in(head.find("x-slipstream"));
  const std::string_view wanted =
      delivery_ == Delivery::kStreamed ? "text/event-stream" : "application/json";
  const std::string_view type = head.find("content-type");
  if (answer_.status == 200 && !iequals(type.substr(0, wanted.size()), wanted)) {
    fail(Defect::kContentType, type);
  }
}

void AnswerChecker::take_body(std::string_view bytes) {
  if (answer_.status != 200 || delivery_ == Delivery::kWhole) {
    if (answer_.status == 200) {
      hash(bytes);
      answer_.content_events = 1;
    }
    body_ += bytes;
    return;
  }
  sse::Event event;
  for (;;) {
    const sse::Splitter::Step step = splitter_.next(bytes, event);
    if (step == sse::Splitter::Step::kNeedMore) return;
    if (step == sse::Splitter::Step::kTooLong) return fail(Defect::kBadEvent, "an endless event");
    if (!event.only_comments) take_event(event.raw);
    if (answer_.defect != Defect::kNone) return;
  }
}

void AnswerChecker::take_event(std::string_view raw) {
  hash(raw);
  const sse::Fields fields = sse::parse_fields(raw, scratch_);
  if (!fields.has_data) return fail(Defect::kBadEvent, raw);
  if (done_) return fail(Defect::kAfterDone, fields.data);
  if (fields.data == "[DONE]") {
    done_ = true;
    return;
  }
  take_object(fields.data);
}

// A chunk of a stream, or a whole answer: they differ only in where a choice keeps its text.
void AnswerChecker::take_object(std::string_view text) {
  canonical_.clear();
  const auto kind = canonicalizer_.append(text, canonical_);
  if (!kind || *kind != json::Kind::kObject) return fail(Defect::kBadEvent, text);
  if (!json::find(canonical_, "error").empty()) return fail(Defect::kErrorEvent, text);
  const std::string_view choices = json::find(canonical_, "choices");
  if (!choices.starts_with('[')) return fail(Defect::kBadEvent, text);
  for (json::Elements elements(choices); elements.next();) take_choice(elements.value());
}

void AnswerChecker::take_choice(std::string_view raw) {
  const auto index = parse_decimal(json::find(raw, "index"));
  if (!index || *index >= kChoicesMax) return fail(Defect::kBadEvent, raw);
  if (choices_.size() <= *index) choices_.resize(*index + 1);
  Choice& choice = choices_[*index];
  std::string_view text = json::find(raw, "text");
  if (text.empty()) {
    const std::string_view message =
        json::find(raw, delivery_ == Delivery::kStreamed ? "delta" : "message");
    text = json::find(message, "content");
  }
  std::string scratch;
  const auto content = json::text_of(text, scratch);
  if (content && !content->empty()) {
    if (delivery_ == Delivery::kStreamed) ++answer_.content_events;
    take_text(choice, *content);
  }
  if (json::find(raw, "finish_reason").starts_with('"')) choice.finished = true;
}

void AnswerChecker::take_text(Choice& choice, std::string_view text) {
  if (token_check_ == TokenCheck::kNone) return;
  judge(choice.trail.add(text));
  adopt_call(choice.trail);
}

// All choices of an answer belong to one call.
void AnswerChecker::adopt_call(const TokenTrail& trail) {
  if (!trail.call()) return;
  if (!answer_.call) answer_.call = trail.call();
  if (*answer_.call != *trail.call()) fail(Defect::kMixedCalls, {});
}

void AnswerChecker::judge(TokenTrail::State state) {
  switch (state) {
    case TokenTrail::State::kSound:
      return;
    case TokenTrail::State::kMixedCalls:
      return fail(Defect::kMixedCalls, {});
    case TokenTrail::State::kGap:
      return fail(Defect::kTokenGap, {});
    case TokenTrail::State::kNotTokens:
      return fail(Defect::kNotTokens, {});
  }
}

void AnswerChecker::conclude() {
  if (answer_.status != 200) {
    return fail(Defect::kStatus, std::to_string(answer_.status) + " " + body_);
  }
  if (delivery_ == Delivery::kWhole) take_object(body_);
  conclude_tokens();
  if (delivery_ == Delivery::kStreamed) conclude_stream();
  const bool all = std::all_of(choices_.begin(), choices_.end(),
                               [](const Choice& choice) { return choice.finished; });
  if (choices_.empty() || !all) fail(Defect::kNoFinish, {});
}

void AnswerChecker::conclude_stream() {
  sse::Event event;
  if (splitter_.finish(event) == sse::Splitter::Step::kEvent) {
    if (!event.only_comments) take_event(event.raw);
  } else if (!splitter_.rest().empty()) {
    fail(Defect::kBadEvent, splitter_.rest());
  }
  if (!done_) fail(Defect::kNoDone, {});
}

void AnswerChecker::conclude_tokens() {
  if (token_check_ == TokenCheck::kNone) return;
  for (Choice& choice : choices_) {
    judge(choice.trail.finish());
    adopt_call(choice.trail);
  }
  if (!choices_.empty()) answer_.tokens = choices_.front().trail.count();
}

void AnswerChecker::hash(std::string_view bytes) {
  answer_.body_bytes += bytes.size();
  for (const char c : bytes) {
    answer_.body_hash = (answer_.body_hash ^ static_cast<unsigned char>(c)) * kHashPrime;
  }
}

void AnswerChecker::fail(Defect defect, std::string_view detail) {
  if (answer_.defect != Defect::kNone) return;
  answer_.defect = defect;
  answer_.detail = detail.substr(0, Answer::kDetailMax);
  for (char& c : answer_.detail) {  // it is shown in tables and JSON: one line of ASCII
    if (c < 0x20 || c > 0x7e) c = c < 0 ? '?' : ' ';
  }
}

}  // namespace slipstream::lab
