// The doors of Exchange: who may pass, what it costs its tenant, and answers without a flight.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "gateway/errors.h"
#include "gateway/exchange.h"
#include "gateway/session.h"
#include "gateway/worker.h"

namespace slipstream::gateway {

using flight::AnswerHead;
using flight::FlightEnding;
using flight::SubscriberEnding;
using telemetry::LabelledCounter;
using tenant::Quota;

namespace {

// What a token of a prompt takes in a request's body, where the upstream does not say: a guess that
// holds for English, and errs by being high for JSON.
constexpr std::uint64_t kBytesPerToken = 4;

}  // namespace

// Before the body is asked for, and before anything is shared: a follower pays like a leader.
bool Exchange::admit() {
  if (surface_ == contract::Surface::kPassThrough && !worker_.doorman().guards()) return true;
  const auto party =
      worker_.doorman().identify(head_, session_->stream().peer_address(), session_->scope_memo());
  if (!party) {
    refusal_ =
        std::make_unique<const Refusal>(Refusal{401, RefusedBecause::kCredential, "invalid_api_key",
                                                "The API key is missing or not known here."});
    return false;
  }
  party_ = *party;
  if (party_.tenant == nullptr) return true;
  const Quota::Answer answer = party_.tenant->quota.take(worker_.now());
  if (answer.verdict == Quota::Verdict::kGranted) return true;
  // Callers that were refused together must not come back together.
  const auto wait_ms = static_cast<std::uint64_t>(to_ms(answer.wait)) + 1;
  refusal_ = std::make_unique<const Refusal>(
      Refusal{429, RefusedBecause::kQuota, "rate_limit_exceeded",
              answer.verdict == Quota::Verdict::kNoTokens
                  ? "The tokens per minute of this tenant are used up."
                  : "The requests per minute of this tenant are used up.",
              wait_ms + worker_.random().below(wait_ms / 4 + 1)});
  return false;
}

// An answer that was left early costs what had been published by then. What failed costs nothing.
void Exchange::charge_tokens() {
  if (!counts_tokens() || !flight_ || surface_ == contract::Surface::kPassThrough) return;
  const bool ended = flight_->log().ended();
  std::uint64_t tokens = body_bytes_ / kBytesPerToken;
  if (ended) {
    const FlightEnding ending = flight_->log().ending();
    if (ending == FlightEnding::kRejected || ending == FlightEnding::kFailed) return;
    const contract::Usage& usage = live().usage();
    if (usage.known) tokens = usage.prompt_tokens;
    tokens += std::max(usage.completion_tokens, live().tokens_seen());
  } else {
    tokens += live().tokens_seen();
  }
  party_.tenant->quota.charge_tokens(tokens, worker_.now());
}

// A configured tenant's name; else the scope's first bytes, which tell tenants apart on a page and
// nothing about their credential.
std::string Exchange::tenant_label() const {
  if (worker_.shared().settings.metrics.tenants_max == 0) return {};
  if (party_.tenant) return party_.tenant->name;
  if (surface_ == contract::Surface::kPassThrough) return {};
  return hex(std::string_view(reinterpret_cast<const char*>(party_.scope.bytes.data()), 4));
}

void Exchange::refuse(const Refusal& refusal) {
  series_ = &worker_.metrics().series("default", "", worker_.shared().endpoint, tenant_label());
  series_->add(LabelledCounter::kRefusedRequests, static_cast<int>(refusal.because));
  direct_ending_ = SubscriberEnding::kRefused;
  worker_.shared().log.event(
      telemetry::Level::kInfo, "refused",
      {{"status", refusal.status}, {"reason", refusal.code}, {"request", request_id_}});
  answer_directly(refusal.status,
                  error_body(refusal.status, refusal.message, refusal.code, dialect()),
                  refusal.retry_after_ms);
}

void Exchange::answer_directly(int status, std::string body, std::uint64_t retry_after_ms) {
  AnswerHead answer;
  answer.status = status;
  answer.shared_fields = "content-type: application/json\r\n";
  // RFC 9110 section 15.5.2.
  if (status == 401) answer.shared_fields += "www-authenticate: Bearer\r\n";
  answer.body = AnswerHead::Body::kLength;
  answer.content_length = body.size();
  CallerHead caller;
  caller.role = role_;
  caller.reason = reason_;
  caller.request_id = request_id_;
  caller.date = worker_.http_date();
  caller.explanation = explanation_;
  caller.retry_after_ms = retry_after_ms;
  const bool keep = keep_alive_ && !worker_.shared().draining.load(std::memory_order_relaxed);
  caller.connection = keep ? CallerHead::Connection::kKeepAlive : CallerHead::Connection::kClose;
  append_caller_head(out_, answer, caller);
  if (!head_method_) out_ += body;
  answer_ = Answer::kDirect;
  blocked_ = false;
  pump();
}

}  // namespace slipstream::gateway
