#include "contract/judge.h"

#include <algorithm>

#include "base/text.h"
#include "contract/judge_scan.h"
#include "json/scan.h"
#include "sse/splitter.h"

namespace slipstream::contract {
namespace {

constexpr int kUnknownErrorStatus = 502;

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

int error_status_from(const AnswerFacts& facts) {
  if (facts.error_status != 0) return facts.error_status;
  return facts.top_status != 0 ? facts.top_status : kUnknownErrorStatus;
}

}  // namespace

JudgeMemory::JudgeMemory() : scan_(std::make_unique<AnswerScan>()) {}
JudgeMemory::~JudgeMemory() = default;

StreamJudge::StreamJudge(JudgeMemory& memory) : memory_(&memory) {}
StreamJudge::~StreamJudge() = default;
StreamJudge::StreamJudge(StreamJudge&&) noexcept = default;
StreamJudge& StreamJudge::operator=(StreamJudge&&) noexcept = default;

EventKind StreamJudge::observe(std::string_view raw) {
  const sse::Fields fields = sse::parse_fields(raw, memory_->scratch_);
  if (!fields.has_data && fields.event.empty() && is_comment(raw)) return EventKind::kComment;
  if (trim(fields.data) == "[DONE]") {
    done_ = true;
    return EventKind::kDone;
  }
  return observe_json(fields.event, fields.data);
}

EventKind StreamJudge::observe_json(std::string_view event, std::string_view data) {
  AnswerFacts facts;
  const bool json = !data.empty() && memory_->scan_->scan(data, facts);
  if (!json) facts = {};
  if (facts.error || event == "error") {
    error_ = true;
    error_status_ = error_status_from(facts);
    return EventKind::kError;
  }
  if (!json) return EventKind::kOther;

  choices_seen_ |= facts.choices_seen;
  choices_finished_ |= facts.choices_finished;
  many_choices_ |= facts.many_choices;
  if (facts.usage.known) usage_ = facts.usage;
  if (facts.tokens) ++semantic_events_;
  if (facts.tokens || facts.choices_finished != 0) return EventKind::kSemantic;
  if (facts.choices) return EventKind::kPreamble;
  return facts.usage.known ? EventKind::kUsage : EventKind::kOther;
}

Ending StreamJudge::ending() const {
  if (error_) return Ending::kCut;
  const bool finished = choices_seen_ != 0 && choices_seen_ == choices_finished_ && !many_choices_;
  if (finished) return Ending::kWhole;
  return done_ ? Ending::kClaimed : Ending::kCut;
}

// An error is told by a string that reads "error": a member's name, or the value of "object". It
// stands there as it is, or with letters as \u0065, \u0072 and \u006f, which nobody else escapes.
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

BodyJudgement judge_body(std::string_view body, JudgeMemory& memory) {
  BodyJudgement judgement;
  AnswerFacts facts;
  if (!memory.scan_->scan(body, facts)) return judgement;
  judgement.error = facts.error;
  judgement.error_status = error_status_from(facts);
  judgement.finished = !facts.error && facts.choices && facts.all_finished;
  judgement.usage = facts.usage;
  return judgement;
}

}  // namespace slipstream::contract
