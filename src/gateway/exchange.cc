#include "gateway/exchange.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "config/scalar.h"
#include "contract/explain.h"
#include "gateway/session.h"
#include "gateway/worker.h"
#include "http/write.h"
#include "identity/model_changes.h"

namespace slipstream::gateway {

using flight::AnswerHead;
using flight::SubscriberEnding;
using telemetry::Counter;
using telemetry::LabelledCounter;

void Exchange::reset() {
  keep_alive_ = head_.keep_alive();
  minor_version_ = head_.minor_version();
  head_method_ = head_.method() == "HEAD";
  request_id_ = worker_.make_id('r');
  out_.clear();
  tail_.clear();
  out_sent_ = tail_sent_ = 0;
  began_at_ = last_write_ = worker_.now();
  lag_allowed_ = 0;
  role_ = Role::kSolo;
  reason_ = contract::Reason::kSurface;
  answer_ = Answer::kWaiting;
  direct_ending_ = SubscriberEnding::kDelivered;
  streamed_ = blocked_ = tail_ready_ = log_dropped_ = first_bytes_ = over_ = false;
  explanation_.clear();
  series_ = nullptr;
  party_ = {};
  refusal_.reset();
  body_bytes_ = 0;
}

void Exchange::begin(Session& session, http::Parser& parser) {
  session_ = &session;
  parser.swap_head(head_);
  reset();
  deadline_ = began_at_ + time_allowed();
  surface_ = contract::surface_of(head_.method(), head_.path());
  // The parser refuses it next; nobody else need hear of it, and its body is not asked for.
  if (head_.content_length() > worker_.shared().settings.limits.body_bytes) return;
  if (!admit()) {
    // Who waits for an invitation is told at once; from others the body is read and thrown away,
    // so that the connection can go on.
    if (head_.expects_continue()) refuse(*refusal_);
    return;
  }
  if (head_.expects_continue()) invite_body();
  if (surface_ != contract::Surface::kPassThrough) return;
  series_ = &worker_.metrics().series("default", "", worker_.shared().endpoint, tenant_label());
  const Upload upload = head_.framing() == http::Framing::kLength    ? Upload::kLength
                        : head_.framing() == http::Framing::kChunked ? Upload::kChunked
                                                                     : Upload::kNone;
  series_->add(Counter::kRequests);
  series_->add(LabelledCounter::kVerdicts, static_cast<int>(contract::Reason::kSurface));
  Order order = make_order(Order::Answer::kRelayed, upload);
  if (identity::changes_model(worker_.profile(), head_.method(), head_.path()))
    order.effect = Order::Effect::kChangesModel;
  fly_alone(contract::Reason::kSurface, std::move(order));
}

// What does not leave at once goes before the answer: half an interim answer would spoil it.
void Exchange::invite_body() {
  out_ = "HTTP/1.1 100 Continue\r\n\r\n";
  out_.erase(0, session_->stream().write(std::string_view(out_)).bytes);
  blocked_ = !out_.empty();
}

// The route's limit, shortened by the caller's own if it names a shorter one ("30s", "500ms").
Duration Exchange::time_allowed() const {
  const config::Settings::Request& request = worker_.shared().settings.request;
  const auto asked = config::parse_duration(head_.find(request.deadline_header));
  return asked && asked->count() > 0 ? std::min(*asked, request.deadline) : request.deadline;
}

void Exchange::body(std::string_view bytes) {
  if (over_ || refusal_) return;
  if (surface_ != contract::Surface::kPassThrough) {
    if (body_.empty()) {
      // What is promised is only believed up to a point.
      const std::uint64_t expected = std::min<std::uint64_t>(head_.content_length(), 64 * 1024);
      body_ = worker_.take_buffer(expected);
      body_.reserve(expected);
    }
    body_.append(bytes);
  } else if (flight_) {
    live().upload(bytes);
  }
}

bool Exchange::upload_is_full() const {
  return flight_ && surface_ == contract::Surface::kPassThrough &&
         live().upload_backlog() > kUploadBacklogMax;
}

void Exchange::request_complete() {
  if (over_) return;
  if (refusal_) {
    if (answer_ != Answer::kDirect) refuse(*refusal_);  // else it is on its way
    return;
  }
  if (surface_ != contract::Surface::kPassThrough) return dispatch_contract();
  if (flight_ && head_.framing() != http::Framing::kNone) live().finish_upload();
  pump();
}

void Exchange::dispatch_contract() {
  Routed routed = examine(worker_.examiner(), worker_.routes(), surface_, head_, body_,
                          party_.scope, worker_.shared().public_scope);
  if (!routed.contract) {
    return refuse({400, RefusedBecause::kBody, "invalid_body", routed.contract.error().message, 0});
  }
  contract::Contract& contract = *routed.contract;
  credential_in_key_ = !worker_.doorman().guards() && !routed.route->is_public;
  body_bytes_ = body_.size();
  series_ = &worker_.metrics().series(routed.route->policy.route, contract.model,
                                      worker_.shared().endpoint, tenant_label());
  streamed_ = contract.streamed;
  if (contract.verdict.shareable && worker_.shared().replay_budget.exhausted()) {
    contract.verdict.shareable = false;
    contract.verdict.reason = contract::Reason::kMemory;
    contract.verdict.proof = {"It could share, but the replay logs hold all they may."};
  }
  worker_.metrics().note_key(contract::KeyHash()(contract.key));
  reason_ = contract.verdict.reason;
  series_->add(Counter::kRequests);
  series_->add(LabelledCounter::kVerdicts, static_cast<int>(reason_));
  if (contract.explain)
    explanation_ = contract::explain_fields(contract.key, contract.verdict.proof);
  if (contract.sampled_only) {
    sampled_ = worker_.shared().sampled.enter(contract.key);
    if (sampled_.has_twin()) series_->add(Counter::kCouldHaveShared);
  }
  if (contract.verdict.shareable) return share(contract);
  fly_alone(reason_, contract_order());
}

namespace {

// Verdicts that say of the whole body that it asks for tokens and nothing else. The others found,
// or could not exclude, that running twice is not running once.
bool is_plain_generation(contract::Reason reason) {
  switch (reason) {
    case contract::Reason::kGreedy:
    case contract::Reason::kSeeded:
    case contract::Reason::kPure:
    case contract::Reason::kSampledShared:
    case contract::Reason::kSampled:
    case contract::Reason::kSeedUnproven:
    case contract::Reason::kMemory:
      return true;
    case contract::Reason::kSideEffect:
    case contract::Reason::kClock:
    case contract::Reason::kUnknownField:
    case contract::Reason::kRemoteContent:
    case contract::Reason::kOptedOut:
    case contract::Reason::kDisabled:
    case contract::Reason::kSurface:
    case contract::Reason::kEncodedBody:
    case contract::Reason::kNotJson:
    case contract::Reason::kHttp10:
      return false;
  }
  return false;
}

}  // namespace

Order Exchange::make_order(Order::Answer answer, Upload upload) {
  Order order;
  order.surface = surface_;
  order.answer = answer;
  order.framing =
      head_.minor_version() == 0 ? Order::Framing::kUntilClose : Order::Framing::kChunked;
  order.upload = upload;
  order.head_method = head_.method() == "HEAD";
  const bool collected = surface_ != contract::Surface::kPassThrough;
  if (!collected && upload != Upload::kNone) order.body_kind = upstream::Call::Body::kStreamed;
  // A generation changes nothing upstream; elsewhere only what is safe by its method is sent twice.
  const bool safe = upload == Upload::kNone &&
                    (head_.method() == "GET" || order.head_method || head_.method() == "OPTIONS");
  order.repeatable = collected ? is_plain_generation(reason_) : safe;
  UpstreamRequest request;
  request.host = worker_.shared().upstream_host;
  request.path_prefix = worker_.shared().settings.upstream.url.path;
  request.request_id = request_id_;
  request.upload = upload;
  if (counts_tokens()) order.usage = Order::Usage::kCounted;
  if (party_.tenant) request.credential = party_.tenant->upstream_credential.reveal();
  request.scope_header = worker_.shared().settings.scope.trusted_header;
  request.content_length = collected ? body_.size() : head_.content_length();
  order.head = worker_.take_buffer();
  append_upstream_head(order.head, head_, request);
  if (collected) order.body = std::move(body_);
  return order;
}

// For a request whose body was collected.
Order Exchange::contract_order() {
  return make_order(streamed_ ? Order::Answer::kStream : Order::Answer::kBody, Upload::kLength);
}

void Exchange::share(const contract::Contract& contract) {
  flight::Flight::Setup setup;
  setup.key = contract.key.bytes;
  setup.canonical = worker_.keep(contract.canonical);
  setup.reason = contract::to_string(reason_);
  setup.id = worker_.make_id('f');
  setup.home = worker_.index();
  setup.opened_at = worker_.now();
  const flight::FlightRef spare(new LiveFlight(worker_, std::move(setup)));
  const Duration max_age =
      contract.max_age_s ? Duration(seconds(*contract.max_age_s)) : Duration::max();
  auto entry = worker_.shared().table.enter(spare, worker_.now(), max_age);
  if (!entry.opened && entry.flight->canonical() != contract.canonical) {
    // Two different contracts with one SHA-256: never seen, never shared.
    worker_.shared().table.leave(*entry.flight, worker_.now());
    return fly_alone(reason_, contract_order());
  }
  role_ = entry.opened ? Role::kLeader : Role::kFollower;
  series_->add(entry.opened ? Counter::kLeaders : Counter::kFollowers);
  if (worker_.shared().log.enabled(telemetry::Level::kInfo)) {
    worker_.shared().log.event(telemetry::Level::kInfo, to_string(role_),
                               {{"key", contract.key.short_hex()},
                                {"flight", entry.flight->id()},
                                {"request", request_id_}});
  }
  subscribe(std::move(entry.flight), std::move(entry.cursor));
  if (role_ == Role::kLeader) {
    live().start(contract_order(), *series_);
  }
  // Kept only if the follower may still have to make its own call.
  if (role_ == Role::kLeader ||
      (credential_in_key_ && worker_.shared().settings.coalesce.follower_wait.count() == 0)) {
    release_request();
  }
  pump();
}

void Exchange::fly_alone(contract::Reason reason, Order order) {
  reason_ = reason;
  role_ = Role::kSolo;
  flight::Flight::Setup setup;
  setup.id = worker_.make_id('f');
  setup.home = worker_.index();
  setup.opened_at = worker_.now();
  const boost::intrusive_ptr<LiveFlight> alone(new LiveFlight(worker_, std::move(setup)));
  flight::Cursor cursor = worker_.shared().table.enter_alone(*alone);
  worker_.shared().log.event(
      telemetry::Level::kInfo, "solo",
      {{"reason", contract::to_string(reason)}, {"flight", alone->id()}, {"request", request_id_}});
  subscribe(alone, std::move(cursor));
  if (order.body_kind == upstream::Call::Body::kStreamed) {
    alone->set_upload_listener([this] { session_->read_more(); });
  }
  alone->start(std::move(order), *series_);
}

void Exchange::subscribe(flight::FlightRef flight, flight::Cursor cursor) {
  flight_ = std::move(flight);
  cursor_ = std::move(cursor);
  lag_allowed_ =
      std::max(worker_.shared().settings.replay.lag_bytes_max, flight_->log().appended());
  drained_ = flight_->log().appended() == 0;
  worker_.hall().enter(*flight_, *this);
  worker_.note_subscribers();
  session_->check_at(worker_.now() + first_check());
}

void Exchange::abandon(SubscriberEnding ending) {
  if (over_) return;
  over_ = true;
  charge_tokens();
  leave_flight();
  count_ending(ending);
  release_request();
}

// Memory goes back to the worker; what is asked of the head later was noted in reset().
void Exchange::release_request() {
  worker_.give_buffer(std::move(body_));
  worker_.give_head(std::move(head_));
}

void Exchange::leave_flight() {
  if (!flight_) return;
  const flight::FlightRef flight = std::move(flight_);
  flight_.reset();
  if (worker_.hall().seated(*this)) worker_.hall().leave(*flight, *this);
  worker_.note_subscribers();
  cursor_.drop();
  sampled_ = {};
  auto& live = static_cast<LiveFlight&>(*flight);
  const flight::Core::OnLeave effect = worker_.shared().table.leave(*flight, worker_.now());
  const bool at_home = flight->home() == worker_.index();
  if (at_home) live.set_upload_listener({});
  if (flight->log().ended()) return;
  if (effect != flight::Core::OnLeave::kNothing) {
    at_home ? live.on_home_wake() : flight->wake(flight->home());
  } else if (flight->log().appended() > worker_.shared().settings.replay.lag_bytes_max / 4) {
    flight->forget_positions();
  }
}

void Exchange::count_ending(SubscriberEnding ending) {
  if (!series_) return;
  series_->add(LabelledCounter::kSubscriberEndings, static_cast<int>(ending));
  series_->observe(telemetry::Histogram::kRequest, to_seconds(worker_.now() - began_at_));
  if (!worker_.shared().log.enabled(telemetry::Level::kDebug)) return;
  worker_.shared().log.event(telemetry::Level::kDebug, "ended",
                             {{"request", request_id_},
                              {"role", to_string(role_)},
                              {"ending", to_string(ending)},
                              {"ms", to_ms(worker_.now() - began_at_)}});
}

void Exchange::end(SubscriberEnding ending, Reuse reuse) {
  if (over_) return;
  over_ = true;
  charge_tokens();
  leave_flight();
  count_ending(ending);
  release_request();
  session_->exchange_over(reuse);
}

}  // namespace slipstream::gateway
