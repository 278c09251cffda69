#include "contract/judge.h"

#include <algorithm>

#include "base/text.h"
#include "contract/judge_scan.h"
#include "json/scan.h"
#include "sse/splitter.h"

namespace slipstream::contract {
namespace {

constexpr int kUnknownErrorStatus = 502;

struct NamedEvent {
  std::string_view name;
  EventKind kind;
};
// Events that have a name and mean something; no two surfaces mean different things by one.
constexpr NamedEvent kNamedEvents[] = {
    {"response.completed", EventKind::kDone},
    {"response.incomplete", EventKind::kDone},
    {"response.failed", EventKind::kError},
    {"content_block_delta", EventKind::kSemantic},
    {"message_stop", EventKind::kDone},
    {"ping", EventKind::kComment},
    {"transcript.text.delta", EventKind::kSemantic},
    {"transcript.text.done", EventKind::kDone},
};

EventKind kind_of_name(std::string_view name) {
  if (name.starts_with("response.") && name.ends_with(".delta")) return EventKind::kSemantic;
  for (const NamedEvent& event : kNamedEvents) {
    if (event.name == name) return event.kind;
  }
  return name.empty() ? EventKind::kOther : EventKind::kPreamble;
}

bool has_named_events(Surface surface) {
  return row_of(surface).streams == StreamForm::kNamedEvents || surface == Surface::kTranscriptions;
}

// No field line at all. The splitter knows it too, but a judge sees raw bytes only.
bool is_comment(std::string_view raw) {
  bool line_start = true;
  if (raw.starts_with("\xEF\xBB\xBF")) raw.remove_prefix(3);
  for (const char c : raw) {
    const bool line_end = c == '\r' || c == '\n';
    if (line_start && !line_end && c != ':') return false;
    line_start = line_end;
  }
  return true;
}

// A message tells its prompt's tokens first and its answer's last.
void note_usage(const Usage& told, Usage& usage) {
  if (!told.known) return;
  usage.known = true;
  if (told.prompt_tokens != 0) usage.prompt_tokens = told.prompt_tokens;
  if (told.completion_tokens != 0) usage.completion_tokens = told.completion_tokens;
}

bool is_finished(const AnswerFacts& facts, Surface surface) {
  switch (surface) {
    case Surface::kPassThrough:
    case Surface::kChatCompletions:
    case Surface::kCompletions:
      return facts.choices && facts.all_finished;
    case Surface::kResponses:
    case Surface::kMessages:
    case Surface::kOllamaChat:
    case Surface::kOllamaGenerate:
      return facts.ended;
    case Surface::kEmbeddings:
    case Surface::kRerank:
    case Surface::kTokenize:
    case Surface::kCountTokens:
    case Surface::kOllamaEmbed:
    case Surface::kTranscriptions:
      return true;
  }
  return false;
}

int error_status_from(const AnswerFacts& facts) {
  if (facts.error_status != 0) return facts.error_status;
  return facts.top_status != 0 ? facts.top_status : kUnknownErrorStatus;
}

}  // namespace

JudgeMemory::JudgeMemory() : scan_(std::make_unique<AnswerScan>()) {}
JudgeMemory::~JudgeMemory() = default;

StreamJudge::StreamJudge(JudgeMemory& memory, Surface surface)
    : memory_(&memory), surface_(surface) {}
StreamJudge::~StreamJudge() = default;
StreamJudge::StreamJudge(StreamJudge&&) noexcept = default;
StreamJudge& StreamJudge::operator=(StreamJudge&&) noexcept = default;

EventKind StreamJudge::observe(std::string_view raw) {
  const StreamForm form = row_of(surface_).streams;
  if (form == StreamForm::kLines) {
    const std::string_view line = raw.substr(0, raw.find_last_not_of(" \t\r\n") + 1);
    return line.empty() ? EventKind::kComment : observe_json({}, line);
  }
  const sse::Fields fields = sse::parse_fields(raw, memory_->scratch_);
  if (!fields.has_data && fields.event.empty() && is_comment(raw)) return EventKind::kComment;
  if (form != StreamForm::kNamedEvents && trim(fields.data) == "[DONE]") {
    done_ = true;
    return EventKind::kDone;
  }
  return observe_json(fields.event, fields.data);
}

EventKind StreamJudge::observe_json(std::string_view event, std::string_view data) {
  AnswerFacts facts;
  const bool json = !data.empty() && memory_->scan_->scan(data, facts);
  if (!json) facts = {};
  const EventKind kind = kind_of(facts, facts.type.empty() ? event : facts.type);
  if (facts.error || event == "error" || kind == EventKind::kError) {
    error_ = true;
    error_status_ = error_status_from(facts);
    return EventKind::kError;
  }
  if (!json) return EventKind::kOther;

  choices_seen_ |= facts.choices_seen;
  choices_finished_ |= facts.choices_finished;
  many_choices_ |= facts.many_choices;
  ended_ |= kind == EventKind::kDone;
  note_usage(facts.usage, usage_);
  const bool finish_only = !facts.tokens && facts.choices_finished != 0;
  if (kind == EventKind::kSemantic && !finish_only) ++semantic_events_;
  return kind;
}

EventKind StreamJudge::kind_of(const AnswerFacts& facts, std::string_view name) const {
  if (!facts.choices && has_named_events(surface_)) return kind_of_name(name);
  const bool lines = row_of(surface_).streams == StreamForm::kLines;
  if (lines && facts.ended) return EventKind::kDone;
  if (!facts.choices && !lines) return facts.usage.known ? EventKind::kUsage : EventKind::kOther;
  const bool semantic = facts.tokens || facts.choices_finished != 0;
  return semantic ? EventKind::kSemantic : EventKind::kPreamble;
}

Ending StreamJudge::ending() const {
  if (error_) return Ending::kCut;
  if (ended_) return Ending::kWhole;
  const bool finished = choices_seen_ != 0 && choices_seen_ == choices_finished_ && !many_choices_;
  if (finished) return Ending::kWhole;
  return done_ ? Ending::kClaimed : Ending::kCut;
}

// An error is told by a string that reads "error": a member's name, or the value of "object" or
// "type". It stands there as it is, or with letters as \u0065, \u0072 and \u006f, which nobody else
// escapes.
bool may_be_error(std::string_view body) {
  const char* const end = body.data() + body.size();
  const char* p = body.data();
  for (; (p = json::find_pair(p, end, '"', 'e')) != end; ++p) {
    if (std::string_view(p, end).starts_with("\"error\"")) return true;
  }
  p = body.data() + std::min(body.find('\\'), body.size());  // mostly there is none at all
  for (; (p = json::find_pair(p, end, '\\', 'u')) != end; ++p) {
    const std::string_view escape(p, end);
    if (escape.starts_with("\\u006") || escape.starts_with("\\u007")) return true;
  }
  return false;
}

BodyJudgement judge_body(std::string_view body, Surface surface, JudgeMemory& memory) {
  BodyJudgement judgement;
  AnswerFacts facts;
  if (!memory.scan_->scan(body, facts)) return judgement;
  judgement.error = facts.error;
  judgement.error_status = error_status_from(facts);
  judgement.finished = !facts.error && is_finished(facts, surface);
  judgement.usage = facts.usage;
  return judgement;
}

}  // namespace slipstream::contract
