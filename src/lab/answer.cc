#include "lab/answer.h"

#include "base/text.h"
#include "json/escape.h"
#include "lab/fill.h"
#include "lab/token.h"

namespace slipstream::lab {

AnswerWriter::AnswerWriter(const StubRequest& request, std::uint64_t call, int tokens,
                           int token_bytes)
    : dialect_(&dialect_of(request.surface)),
      form_(request.text_form),
      call_(call),
      choices_(request.choices),
      tokens_(tokens),
      token_bytes_(token_bytes),
      prompt_tokens_(request.prompt_tokens),
      finish_(request.max_tokens == tokens ? dialect_->too_long : dialect_->stopped) {
  json::append_quoted(model_, request.model);
  append_filled(shared_, dialect_->shared);
}

void AnswerWriter::append(std::string& out, StepKind kind, int token) {
  if (kind == StepKind::kComment) {
    out += dialect_->keep_alive;
    return;
  }
  token_ = token;
  const bool per_choice = kind == StepKind::kToken || kind == StepKind::kFinish;
  for (choice_ = 0; choice_ < (per_choice ? choices_ : 1); ++choice_) {
    for (const Event& event : events_of(kind)) append_event(out, event);
  }
}

Events AnswerWriter::events_of(StepKind kind) const {
  switch (kind) {
    case StepKind::kHead:
      return dialect_->opening;
    case StepKind::kToken:
      return token_ == 0 && !dialect_->first.empty() ? dialect_->first : dialect_->token;
    case StepKind::kFinish:
      return dialect_->finish;
    case StepKind::kUsage:
      return dialect_->usage_chunk;
    case StepKind::kErrorEvent:
      return dialect_->error;
    default:
      return dialect_->done;
  }
}

void AnswerWriter::append_event(std::string& out, const Event& event) {
  switch (dialect_->framing) {
    case Framing::kLines:
      append_filled(out, event.data);
      out += '\n';
      return;
    case Framing::kData:
      out += "data: ";
      append_filled(out, event.data);
      break;
    case Framing::kNamed:
      out += "event: ";
      append_filled(out, event.name);
      out += "\ndata: {\"type\":\"";
      append_filled(out, event.name);
      out += event.data.empty() ? "\"" : "\",";
      append_filled(out, event.data);
      out += '}';
      break;
  }
  out += "\n\n";
}

std::string AnswerWriter::whole() {
  std::string out;
  append_filled(out, form_ == TextForm::kPlain ? dialect_->plain : dialect_->whole);
  return out;
}

std::string_view AnswerWriter::stream_type() const {
  return dialect_->framing == Framing::kLines ? "application/x-ndjson"
                                              : "text/event-stream; charset=utf-8";
}

std::string_view AnswerWriter::whole_type() const {
  return form_ == TextForm::kPlain ? "text/plain; charset=utf-8" : "application/json";
}

void AnswerWriter::append_filled(std::string& out, std::string_view pattern) {
  fill(out, pattern, [this](std::string& to, char gap) { put(to, gap); });
}

void AnswerWriter::put(std::string& out, char gap) {
  switch (gap) {
    case 'c':
      return append_decimal(out, call_);
    case 'm':
      out += model_;
      return;
    case 't':
      return append_token(out, token_);
    case 'T':
      for (int i = 0; i < tokens_; ++i) append_token(out, i);
      return;
    case 'i':
      return append_decimal(out, static_cast<std::uint64_t>(choice_));
    case 'C':
      return append_choices(out);
    case 'p':
      return append_decimal(out, prompt_tokens_);
    case 'n':
      return append_decimal(out, tokens_total());
    case 'N':
      return append_decimal(out, prompt_tokens_ + tokens_total());
    case 'f':
      out += finish_.reason;
      return;
    case 'd':
      out += finish_.details;
      return;
    case 'q':
      return append_decimal(out, sequence_++);
    case 'e':
      return json::append_quoted(out, "the stub was told to fail here");
    case 'S':
      out += shared_;
      return;
    default:
      return append_filled(out, dialect_->usage);
  }
}

void AnswerWriter::append_choices(std::string& out) {
  for (choice_ = 0; choice_ < choices_; ++choice_) {
    if (choice_) out += ',';
    append_filled(out, dialect_->item);
  }
  choice_ = 0;
}

// Characters that need no escape in JSON.
void AnswerWriter::append_token(std::string& out, int index) const {
  lab::append_token(out, {call_, static_cast<std::uint64_t>(index)}, token_bytes_);
}

}  // namespace slipstream::lab
