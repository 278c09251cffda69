#include "sim/script.h"

#include "base/text.h"

namespace slipstream::sim {

namespace {

std::string number(std::uint64_t value) {
  std::string text;
  append_decimal(text, value);
  return text;
}

void draw_trouble(SimWorld& world, const Swarm& swarm, Script& script) {
  const bool cut = swarm.upstream_cuts && world.chance(55);
  const bool silent = swarm.upstream_silence && world.chance(40);
  if (!cut && !silent) return;
  const std::uint64_t kind = world.below(20);
  script.trouble = silent      ? Script::Trouble::kSilence
                   : kind == 0 ? Script::Trouble::kGarbage
                   : kind < 10 ? Script::Trouble::kFin
                               : Script::Trouble::kReset;
  // At any byte, but every region of an answer deserves its share.
  const std::uint64_t region = world.below(4);
  const std::uint64_t bound = region == 0 ? 1 : region == 1 ? 300 : region == 2 ? 900 : 8000;
  script.cut_at = world.below(bound);
}

void draw_stream(SimWorld& world, const Swarm& swarm, Script& script) {
  script.shape = Script::Shape::kStream;
  script.framing = Script::Framing::kChunked;
  script.tokens = world.between(1, swarm.large_answers ? 60 : 12);
  script.usage = world.chance(40);
  script.crlf = world.chance(20);
  script.pings = world.chance(15);
  script.role = world.chance(80);
  if (swarm.in_band_errors && world.chance(40)) script.error_at = world.below(script.tokens + 1);
  if (!swarm.odd_answers) return;
  script.done = world.chance(70);
  script.finish_reason = world.chance(70);
  if (world.chance(40)) script.framing = Script::Framing::kUntilClose;
  if (world.chance(10)) script.tokens = 0;
}

void draw_error(SimWorld& world, Script& script) {
  static constexpr int kStatuses[] = {429, 500, 502, 503, 529, 400, 401, 404, 422};
  script.shape = Script::Shape::kError;
  script.status = kStatuses[world.below(std::size(kStatuses))];
  script.framing = Script::Framing::kLength;
  if (script.status == 429 || script.status == 503) script.retry_after_s = world.below(8);
}

}  // namespace

Script draw_script(SimWorld& world, const Swarm& swarm, const Call& call) {
  Script script;
  const bool stream = call.streamed && !(swarm.odd_answers && world.chance(8));
  if (stream) draw_stream(world, swarm, script);
  if (!stream) {
    script.framing = world.chance(60) ? Script::Framing::kLength : Script::Framing::kChunked;
    script.finish_reason = !swarm.odd_answers || world.chance(80);
    if (swarm.odd_answers && world.chance(35)) script.framing = Script::Framing::kUntilClose;
    // An error object in a 200 answer.
    if (swarm.in_band_errors && world.chance(20)) script.shape = Script::Shape::kError;
  }
  if (swarm.upstream_errors && world.chance(35)) draw_error(world, script);
  if (swarm.large_answers) script.token_bytes = world.below(600);
  if (swarm.slow_answers) {
    script.first_delay_ms = world.below(2000);
    script.gap_ms = world.below(world.chance(20) ? 4000 : 60);
  } else if (world.chance(70)) {
    script.first_delay_ms = world.below(10);
    script.gap_ms = world.below(4);
  }
  script.interim = world.chance(5);
  if (stream && !call.chat && world.chance(50)) script.framing = Script::Framing::kUntilClose;
  draw_trouble(world, swarm, script);
  if (script.framing == Script::Framing::kUntilClose) script.after = Script::After::kClose;
  if (swarm.stale_connections && script.after == Script::After::kKeep) {
    const std::uint64_t after = world.below(6);
    if (after == 0) script.after = Script::After::kClose;
    if (after == 1) script.after = Script::After::kSurplus;
    if (after >= 4) script.after = Script::After::kCloseSoon;
  }
  return script;
}

std::uint64_t ScriptReader::delay_ms() const {
  return step_ == 0 ? script_.first_delay_ms : script_.gap_ms;
}

std::string ScriptReader::head(std::uint64_t length) {
  std::string out;
  if (script_.interim) out += "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
  out += "HTTP/1.1 " + number(static_cast<std::uint64_t>(script_.status)) + " X\r\n";
  call_.event_stream = script_.shape == Script::Shape::kStream;
  out += call_.event_stream ? "content-type: text/event-stream\r\n"
                            : "content-type: application/json\r\n";
  out += "set-cookie: call=c" + number(call_.number) + ".\r\nx-shared: yes\r\n";
  if (script_.retry_after_s > 0) out += "retry-after: " + number(script_.retry_after_s) + "\r\n";
  if (script_.framing == Script::Framing::kChunked) out += "transfer-encoding: chunked\r\n";
  if (script_.framing == Script::Framing::kLength) {
    out += "content-length: " + number(length) + "\r\n";
  }
  const bool closes = script_.after == Script::After::kClose && world_.chance(50);
  if (closes) out += "connection: close\r\n";
  return out + "\r\n";
}

std::string ScriptReader::framed(std::string body) {
  call_.body += body;
  if (script_.framing != Script::Framing::kChunked) return body;
  std::string out;
  // An event and a chunk need not end together.
  if (body.size() > 1 && world_.chance(20)) {
    const std::size_t first = static_cast<std::size_t>(world_.between(1, body.size() - 1));
    append_hex(out, first);
    out += "\r\n" + body.substr(0, first) + "\r\n";
    body.erase(0, first);
  }
  append_hex(out, body.size());
  return out + "\r\n" + body + "\r\n";
}

std::string ScriptReader::event(std::string_view data) {
  const std::string_view end = script_.crlf ? "\r\n\r\n" : "\n\n";
  return "data: " + std::string(data) + std::string(end);
}

std::string ScriptReader::token() {
  return "c" + number(call_.number) + ".@" + number(static_cast<std::uint64_t>(world_.now_ms())) +
         " " + std::string(script_.token_bytes, 'x');
}

std::string ScriptReader::next_of_stream() {
  const std::string id = R"({"id":"c)" + number(call_.number) + R"(.","choices":[)";
  const std::string delta = id + R"({"index":0,"delta":{)";
  for (;;) {
    const std::uint64_t step = step_++;
    if (step == 0) return head(0);
    if (step == 1 && script_.pings) return framed(": ping\n\n");
    if (step == 2 && script_.role) {
      return framed(event(delta + R"("role":"assistant","content":""},"finish_reason":null}]})"));
    }
    if (step == 3) {
      if (tokens_made_ == script_.error_at) {
        call_.in_band = R"({"error":{"message":"c)" + number(call_.number) +
                        R"(. broke","type":"server_error","code":500},"id":"c)" +
                        number(call_.number) + R"(."})";
        tokens_made_ = script_.tokens;
        step_ = 6;  // some servers say [DONE] all the same
        return framed(event(call_.in_band));
      }
      if (tokens_made_ == script_.tokens) continue;
      ++tokens_made_;
      step_ = 3;
      return framed(event(delta + R"("content":")" + token() + R"("},"finish_reason":null}]})"));
    }
    if (step == 4 && script_.finish_reason) {
      return framed(event(delta + R"(},"finish_reason":"stop"}]})"));
    }
    if (step == 5 && script_.usage) {
      return framed(event(id + R"(],"usage":{"prompt_tokens":3,"completion_tokens":)" +
                          number(script_.tokens) + "}}"));
    }
    if (step == 6 && script_.done) {
      call_.said_done = true;
      return framed(event("[DONE]"));
    }
    if (step == 7 && script_.framing == Script::Framing::kChunked) return "0\r\n\r\n";
    if (step > 7) return {};
  }
}

std::string ScriptReader::whole_body() {
  const std::string id = R"("id":"c)" + number(call_.number) + R"(.")";
  if (script_.shape == Script::Shape::kError) {
    return R"({"error":{"message":")" + token() + R"(","type":"server_error"},)" + id + "}";
  }
  std::string text;
  for (std::uint64_t i = 0; i < script_.tokens; ++i) text += token();
  const std::string finish = script_.finish_reason ? R"("stop")" : "null";
  return "{" + id + R"(,"choices":[{"index":0,"message":{"role":"assistant","content":")" + text +
         R"("},"finish_reason":)" + finish + R"(}],"usage":{"completion_tokens":1}})";
}

bool ScriptReader::over() const {
  if (script_.shape != Script::Shape::kStream) return step_ > 0;
  if (step_ < 3) return false;
  if (step_ == 3 && (tokens_made_ < script_.tokens || tokens_made_ == script_.error_at))
    return false;
  return !(step_ <= 4 && script_.finish_reason) && !(step_ <= 5 && script_.usage) &&
         !(step_ <= 6 && script_.done) &&
         !(step_ <= 7 && script_.framing == Script::Framing::kChunked);
}

std::string ScriptReader::next() {
  if (script_.shape == Script::Shape::kStream) return next_of_stream();
  const std::uint64_t step = step_++;
  if (step > 0) return {};
  call_.status = script_.status;
  const std::string body = whole_body();
  std::string out = head(body.size()) + framed(body);
  if (script_.framing == Script::Framing::kChunked) out += "0\r\n\r\n";
  return out;
}

}  // namespace slipstream::sim
