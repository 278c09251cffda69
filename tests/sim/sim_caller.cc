#include "sim/sim_caller.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"

namespace slipstream::sim {

namespace {

constexpr http::Limits kLimits{8 * 1024, 64 * 1024, 200, UINT64_MAX};

Question draw_question(SimWorld& world, const Swarm& swarm) {
  Question question;
  if (swarm.pass_through && world.chance(35)) {
    const std::uint64_t large = swarm.tiny_buffers || swarm.slow_upload_reading ? 9000 : 400'000;
    question.kind = world.chance(60) ? Question::Kind::kModels : Question::Kind::kUpload;
    question.upload_bytes = world.below(world.chance(20) ? large : 3000);
    question.upload_chunked = world.chance(40);
  }
  if (swarm.bad_requests && world.chance(25)) {
    question.kind = world.chance(50) ? Question::Kind::kBroken : Question::Kind::kGarbage;
  }
  question.prompt = 1 + world.below(swarm.prompts);
  if (swarm.tenants) question.tenant = world.below(3);
  question.streamed = world.chance(70);
  question.sampled = swarm.sampled && world.chance(50);
  question.http10 = swarm.http10 && world.chance(40);
  if (question.http10) question.upload_chunked = false;
  if (swarm.wishes && world.chance(30)) {
    question.wish = world.chance(50) ? Question::Wish::kAlone : Question::Wish::kMaxAge;
  }
  question.expect_continue = !question.http10 && world.chance(4);
  question.last = world.chance(8);
  if (swarm.deadlines && world.chance(40)) question.deadline_ms = world.between(1, 4000);
  return question;
}

void draw_leaving(SimWorld& world, CallerPlan& plan) {
  const std::uint64_t how = world.below(3);
  plan.leaving = how == 0   ? CallerPlan::Leaving::kClose
                 : how == 1 ? CallerPlan::Leaving::kHalfClose
                            : CallerPlan::Leaving::kReset;
  const std::uint64_t when = world.below(3);
  plan.leave_after_ms = world.below(when == 0 ? 3 : when == 1 ? 60 : 3000);
}

}  // namespace

CallerPlan draw_caller(SimWorld& world, const Swarm& swarm, std::uint64_t number) {
  CallerPlan plan;
  plan.number = number;
  plan.worker = world.below(swarm.workers);
  plan.start_ms = world.below(swarm.arrival_ms + 1);
  const std::uint64_t questions = world.chance(30) ? world.between(2, 4) : 1;
  for (std::uint64_t i = 0; i < questions; ++i)
    plan.questions.push_back(draw_question(world, swarm));
  plan.pipelined = swarm.pipelining && world.chance(50);
  if (swarm.slow_readers && world.chance(30)) plan.reading = CallerPlan::Reading::kSlowly;
  if (swarm.never_readers && world.chance(25)) plan.reading = CallerPlan::Reading::kNever;
  plan.read_bytes = world.between(1, 300);
  plan.read_gap_ms = world.below(300);
  if (swarm.aborts && world.chance(50)) draw_leaving(world, plan);
  plan.sends_slowly = swarm.slow_senders && world.chance(40);
  return plan;
}

SimCaller::SimCaller(SimWorld& world, SimLoop& loop, CallerPlan plan, Connect connect)
    : world_(world),
      loop_(loop),
      plan_(std::move(plan)),
      connect_(std::move(connect)),
      parser_(http::Parser::Kind::kResponse, kLimits) {
  later(milliseconds(plan_.start_ms), &SimCaller::begin);
}

void SimCaller::later(Duration delay, void (SimCaller::*what)()) {
  // Lifetime: callers live as long as their world runs.
  world_.after(delay, loop_, [this, what] {
    if (!over_) (this->*what)();
  });
}

void SimCaller::begin() {
  world_.note("caller begins", plan_.number, plan_.questions.size(), plan_.worker);
  stream_ = connect_(plan_.worker);
  stream_->set_handler(this);
  if (plan_.leaving != CallerPlan::Leaving::kWhenDone) {
    later(milliseconds(plan_.leave_after_ms), &SimCaller::leave);
  }
  later(kPatience, &SimCaller::give_up);
  ask_next();
  while (plan_.pipelined && asked_ < plan_.questions.size()) ask_next();
}

void SimCaller::ask_next() {
  const Question& question = plan_.questions[asked_++];
  Reply reply;
  reply.caller = plan_.number;
  reply.question = question;
  reply.prompt_reader = plan_.reading == CallerPlan::Reading::kAtOnce;
  reply.asked_at = kNever;
  reply.half_closed = half_closed_;
  replies_.push_back(std::move(reply));
  out_ += wire_form(question);
  question_ends_.push_back(out_.size());
  if (!sending_) send_some();
}

void SimCaller::send_some() {
  sending_ = false;
  while (sent_ < out_.size() && !over_) {
    std::size_t n = out_.size() - sent_;
    if (plan_.sends_slowly) {
      n = static_cast<std::size_t>(world_.between(1, std::min<std::size_t>(n, 200)));
    }
    const net::IoResult sent = stream_->write(std::string_view(out_).substr(sent_, n));
    if (sent.status == net::IoStatus::kError) return;  // reading finds out what happened
    sent_ += sent.bytes;
    for (std::size_t i = 0; i < question_ends_.size(); ++i) {
      if (sent_ >= question_ends_[i] && replies_[i].asked_at == kNever) {
        replies_[i].asked_at = world_.now();
      }
    }
    if (sent.bytes < n) return;
    if (plan_.sends_slowly && world_.chance(50)) {
      sending_ = true;
      return later(milliseconds(world_.below(15)), &SimCaller::send_some);
    }
  }
}

void SimCaller::on_writable() {
  if (!sending_ && !over_) send_some();
}

void SimCaller::on_readable() {
  if (over_ || plan_.reading == CallerPlan::Reading::kNever) return;
  if (plan_.reading == CallerPlan::Reading::kSlowly) {
    if (reading_) return;
    reading_ = true;
    return later(milliseconds(plan_.read_gap_ms), &SimCaller::read_slowly);
  }
  while (read_once(16 * 1024)) {
  }
}

void SimCaller::read_slowly() {
  reading_ = false;
  if (read_once(static_cast<std::size_t>(plan_.read_bytes))) on_readable();
}

bool SimCaller::read_once(std::size_t bytes_max) {
  if (over_) return false;
  std::array<char, 16 * 1024> buffer;
  const net::IoResult got = stream_->read(std::span(buffer).first(bytes_max));
  if (got.status == net::IoStatus::kWouldBlock) return false;
  if (got.status != net::IoStatus::kOk) {
    connection_over(got.status);
    return false;
  }
  const std::string_view bytes(buffer.data(), got.bytes);
  world_.note_bytes(bytes);
  if (world_.printing()) std::printf("%s\n", std::string(bytes).c_str());
  feed(bytes);
  return !over_;
}

Reply* SimCaller::current() {
  return answered_ < replies_.size() ? &replies_[answered_] : nullptr;
}

void SimCaller::feed(std::string_view input) {
  while (!over_) {
    switch (parser_.next(input)) {
      case http::Parser::Step::kNeedMore:
        return;
      case http::Parser::Step::kHead:
        if (parser_.head().status() >= 200) take_head();
        break;
      case http::Parser::Step::kBody:
        take_body();
        break;
      case http::Parser::Step::kComplete:
        if (parser_.head().status() >= 200) answered();
        break;
      case http::Parser::Step::kRefused:
        world_.note("malformed", plan_.number);
        return close_all(Reply::End::kMalformed);
    }
  }
}

void SimCaller::take_head() {
  const http::Head& head = parser_.head();
  Reply* reply = current();
  if (!reply) return close_all(Reply::End::kMalformed);  // an answer that nobody asked for
  reply->status = head.status();
  const std::string_view stamp = head.find("x-slipstream");
  reply->role = stamp.substr(0, stamp.find(';'));
  const std::size_t flight = stamp.find("flight=\"");
  if (flight != std::string_view::npos) {
    const std::string_view rest = stamp.substr(flight + 8);
    reply->flight = rest.substr(0, rest.find('"'));
  }
  reply->request_id = head.find("x-request-id");
  reply->cookie = head.find("set-cookie");
  reply->keeps_alive = head.keep_alive();
  reply->event_stream = head.find("content-type").starts_with("text/event-stream");
  marks_seen_ = 0;
  world_.note("answer begins", plan_.number, static_cast<std::uint64_t>(reply->status));
}

void SimCaller::take_body() {
  Reply* reply = current();
  if (!reply) return;
  reply->body += parser_.body();
  // Tokens say when they were made.
  for (;;) {
    const std::size_t at = reply->body.find(".@", marks_seen_);
    if (at == std::string::npos) break;
    const std::size_t end = reply->body.find(' ', at);
    if (end == std::string::npos) break;
    const auto made = parse_decimal(std::string_view(reply->body).substr(at + 2, end - at - 2));
    // A pipelined question waits for the answer before it.
    Time since = reply->asked_at == kNever ? world_.now() : reply->asked_at;
    if (answered_ > 0) since = std::max(since, replies_[answered_ - 1].ended_at);
    since = std::max(since, world_.start() + milliseconds(made.value_or(0)));
    reply->lateness_ms = std::max(reply->lateness_ms, to_ms(world_.now() - since));
    marks_seen_ = end;
  }
}

void SimCaller::answered() {
  ended(Reply::End::kComplete);
  if (over_ || answered_ < asked_) return;
  if (asked_ < plan_.questions.size() && parser_.head().keep_alive()) return ask_next();
  if (plan_.leaving == CallerPlan::Leaving::kWhenDone && parser_.head().keep_alive()) {
    over_ = true;
    stream_->close();
  }
}

void SimCaller::ended(Reply::End end) {
  Reply* reply = current();
  if (!reply) return;
  reply->end = end;
  reply->ended_at = world_.now();
  ++answered_;
  world_.note("answer ends", plan_.number, static_cast<std::uint64_t>(end), reply->body.size());
}

void SimCaller::connection_over(net::IoStatus status) {
  const Reply* reply = current();
  if (status == net::IoStatus::kEof && reply && reply->status != 0 &&
      parser_.finish() == http::Parser::Step::kComplete) {
    ended(Reply::End::kComplete);
  }
  close_all(status == net::IoStatus::kEof ? Reply::End::kCut : Reply::End::kReset);
}

void SimCaller::close_all(Reply::End rest) {
  while (current()) ended(rest);
  over_ = true;
  if (rest == Reply::End::kReset || rest == Reply::End::kMalformed) {
    stream_->reset();
  } else {
    stream_->close();
  }
}

void SimCaller::leave() {
  world_.note("caller leaves", plan_.number, static_cast<std::uint64_t>(plan_.leaving));
  if (plan_.leaving == CallerPlan::Leaving::kHalfClose) {
    for (Reply& reply : replies_) reply.half_closed = true;
    half_closed_ = true;
    return stream_->shutdown_write();
  }
  while (current()) ended(Reply::End::kLeft);
  over_ = true;
  if (plan_.leaving == CallerPlan::Leaving::kReset) {
    stream_->reset();
  } else {
    stream_->close();
  }
}

void SimCaller::give_up() {
  // A caller that reads little or nothing does not see that it was sent away.
  const bool blind = plan_.reading != CallerPlan::Reading::kAtOnce;
  close_all(blind ? Reply::End::kLeft : Reply::End::kGaveUp);
}

}  // namespace slipstream::sim
