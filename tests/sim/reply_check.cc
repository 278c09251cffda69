#include <map>
#include <set>

#include "base/text.h"
#include "sim/checkers.h"

namespace slipstream::sim {

namespace {

constexpr std::string_view kComment = ": waiting for the upstream\n\n";
constexpr std::string_view kErrorEvent = "data: {\"error\":{\"message\":";
constexpr std::string_view kGapAndErrorEvent = "\n\ndata: {\"error\":{\"message\":";
// Beyond the flush window: three links, each way at most kPromptDelayMs, and the window that the
// gateway takes by itself when it is busy.
constexpr long long kLatenessMs = 8 * kPromptDelayMs + 30;

std::string without_comments(std::string text) {
  for (std::size_t at; (at = text.find(kComment)) != std::string::npos;) {
    text.erase(at, kComment.size());
  }
  return text;
}

// The numbers of the calls whose words stand in `text`.
std::set<std::uint64_t> calls_in(std::string_view text) {
  constexpr std::string_view kMarker = "\"id\":\"c";
  std::set<std::uint64_t> numbers;
  for (std::size_t at = 0; (at = text.find(kMarker, at)) != std::string_view::npos;) {
    at += kMarker.size();
    const std::size_t end = text.find('.', at);
    if (end == std::string_view::npos) break;
    if (const auto number = parse_decimal(text.substr(at, end - at))) numbers.insert(*number);
  }
  return numbers;
}

class ReplyCheck {
 public:
  ReplyCheck(const Outcome& outcome, const Reply& reply, Findings& findings)
      : outcome_(outcome),
        reply_(reply),
        findings_(findings),
        content_(without_comments(reply.body)) {}

  // Returns the call that was heard, or null.
  const Call* run() {
    check_end();
    if (reply_.status == 0) return nullptr;
    check_first_words();
    const std::set<std::uint64_t> numbers = calls_in(content_);
    if (numbers.size() > 1) say("mixes the words of several calls");
    if (numbers.size() != 1 || *numbers.begin() > outcome_.evidence.calls.size()) {
      check_own_words();
      return nullptr;
    }
    const Call& call = outcome_.evidence.calls[*numbers.begin() - 1];
    check_source(call);
    if (reply_.end == Reply::End::kComplete) {
      check_whole(call);
    } else {
      check_prefix(call);
    }
    check_time();
    return &call;
  }

 private:
  void say(const std::string& what) {
    findings_.push_back("caller " + std::to_string(reply_.caller) + " (" + reply_.request_id +
                        ", " + reply_.role + "): " + what);
  }

  void check_end() {
    if (reply_.end == Reply::End::kOpen) say("never ended");
    if (reply_.end == Reply::End::kMalformed) say("got something that is not HTTP");
    // A gateway that was stopped accepts nobody.
    if (reply_.end == Reply::End::kGaveUp && !outcome_.swarm.stopped) {
      say("was kept waiting beyond every limit");
    }
  }

  // Success is not promised before there is a token; only a comment opens an answer earlier.
  void check_first_words() {
    const bool stream = reply_.question.kind == Question::Kind::kChat && reply_.event_stream;
    const bool cut = reply_.end == Reply::End::kCut && reply_.prompt_reader;
    if (!stream || !cut || reply_.body.size() != content_.size() || outcome_.swarm.stopped) return;
    if (content_.find(kErrorEvent) != content_.npos && content_.find(".@") == content_.npos &&
        content_.find("\"stop\"") == content_.npos && content_.find("\"usage\"") == content_.npos &&
        content_.find("[DONE]") == content_.npos) {
      say("was told 200 and then an error, without a token between");
    }
  }

  // No call's words: the gateway speaks, or nothing that tells whose it is.
  void check_own_words() {
    const bool error = content_.starts_with("{\"error\":{\"message\":");
    if (reply_.end == Reply::End::kComplete && error && reply_.status < 400) {
      say("got an error with a status of success");
    }
    const bool chat = reply_.question.kind == Question::Kind::kChat;
    if (chat && reply_.end == Reply::End::kComplete && !error &&
        content_.find("data: {") != content_.npos) {
      say("got a complete answer that no call gave: " + content_.substr(0, 200));
    }
  }

  void check_source(const Call& call) {
    const Question& question = reply_.question;
    if (call.authorization != authorization_of(question.tenant)) say("hears another tenant's call");
    const bool chat = question.kind == Question::Kind::kChat;
    if (call.chat != chat) say("hears a call of another surface");
    if (chat && (call.prompt != question.prompt || call.streamed != question.streamed)) {
      say("hears the answer to another question");
    }
    if (!call.upload_intact && reply_.end == Reply::End::kComplete) {
      say("was answered although the upstream got another body");
    }
    const bool follower = reply_.role == "follower";
    if (follower && !reply_.cookie.empty()) say("got the leader's cookie");
    const std::string own = "call=c" + std::to_string(call.number) + ".";
    if (!reply_.cookie.empty() && reply_.cookie != own) say("got another call's cookie");
  }

  void check_whole(const Call& call) {
    if (!call.in_band.empty() && call.chat) {
      if (reply_.status < 400 || content_ != call.in_band) {
        say("was told a broken generation is complete: " + content_.substr(0, 300));
      }
      return;
    }
    if (call.whole && content_ == call.body) return;
    // An end that only the connection's end tells may come early: a finish reason makes it honest,
    // and what has no contract cannot be judged.
    const bool finished = content_.find("\"finish_reason\":\"stop\"") != content_.npos ||
                          content_.find("[DONE]") != content_.npos;
    const bool honest = !call.chat || reply_.status >= 400 || (call.event_stream && finished);
    if (!call.framed_end && honest && call.body.starts_with(content_)) return;
    say("got a complete answer that is not the call's: " + std::to_string(content_.size()) +
        " of " + std::to_string(call.body.size()) + " bytes" +
        (call.whole ? "" : ", and the call was cut"));
  }

  void check_prefix(const Call& call) {
    std::string_view heard = content_;
    // Who was told 200 by a comment hears of a refusal by an event.
    if (call.body.starts_with("{\"error\"") && ("data: " + call.body + "\n\n").starts_with(heard)) {
      return;
    }
    if (!call.in_band.empty() && ("data: " + call.in_band + "\n\n").starts_with(heard)) return;
    const std::size_t error = heard.rfind(kErrorEvent);
    if (error != heard.npos && calls_in(heard.substr(error)).empty()) {
      heard = heard.substr(0, error);
      if (!heard.empty() && heard.back() != '\n') say("got an error glued to half an event");
      // A blank line of the gateway's own closes what was torn.
      if (!call.chat && heard.ends_with("\n\n") && !call.body.starts_with(heard)) {
        heard.remove_suffix(2);
      }
    }
    if (!is_prefix(heard, call, kComment) && !is_prefix(heard, call, kErrorEvent) &&
        !(!call.chat && is_prefix(heard, call, kGapAndErrorEvent))) {
      say("got bytes that are no prefix of its call");
    }
  }

  // Perhaps with the beginning of some words of the gateway's own behind it.
  static bool is_prefix(std::string_view heard, const Call& call, std::string_view own_words) {
    for (std::size_t n = 0; n < own_words.size() && n <= heard.size(); ++n) {
      if (heard.ends_with(own_words.substr(0, n)) &&
          std::string_view(call.body).starts_with(heard.substr(0, heard.size() - n))) {
        return true;
      }
    }
    return false;
  }

  void check_time() {
    const bool measured = reply_.prompt_reader && reply_.question.kind == Question::Kind::kChat &&
                          outcome_.swarm.clean_network();
    const long long allowed = kLatenessMs + outcome_.settings.replay.flush_window.count();
    if (measured && reply_.lateness_ms > allowed) {
      say("heard a token " + std::to_string(reply_.lateness_ms) + " ms after it was said");
    }
  }

  const Outcome& outcome_;
  const Reply& reply_;
  Findings& findings_;
  const std::string content_;
};

// Who asked over an open connection gets some answer.
void check_asked(const Outcome& outcome, const Reply* before, const Reply& reply,
                 Findings& findings) {
  const Swarm& swarm = outcome.swarm;
  const bool tight = swarm.tight_windows || swarm.tight_memory || swarm.tight_times;
  if (tight || swarm.stopped || !swarm.clean_network()) return;
  // An abort may overtake the first words of a broken answer; what is not HTTP is refused in one
  // write, whether all of it leaves or not.
  if (reply.status != 0 || !reply.prompt_reader || reply.half_closed || reply.asked_at == kNever ||
      reply.end != Reply::End::kCut || reply.question.kind == Question::Kind::kGarbage) {
    return;
  }
  const bool first = !before || before->caller != reply.caller;
  if (!first && (before->end != Reply::End::kComplete || !before->keeps_alive)) return;
  findings.push_back("caller " + std::to_string(reply.caller) + " asked and got nothing at all");
}

}  // namespace

void check_replies(const Outcome& outcome, Findings& findings) {
  std::map<std::string, std::uint64_t> call_of_flight;
  std::map<std::uint64_t, std::string> flight_of_call;
  std::map<std::string, std::uint64_t> replies_of_solo;
  const Reply* before = nullptr;
  for (const Reply& reply : outcome.evidence.replies) {
    const Call* call = ReplyCheck(outcome, reply, findings).run();
    if (reply.role == "solo" && !reply.flight.empty() && ++replies_of_solo[reply.flight] > 1) {
      findings.push_back("flight " + reply.flight + " is solo and has two callers");
    }
    check_asked(outcome, before, reply, findings);
    before = &reply;
    const bool alone = reply.question.wish == Question::Wish::kAlone || reply.question.http10;
    if (alone && reply.role != "solo" && reply.status != 0) {
      findings.push_back("a caller that wanted to be alone was a " + reply.role);
    }
    if (!call || reply.flight.empty()) continue;
    if (call_of_flight.emplace(reply.flight, call->number).first->second != call->number) {
      findings.push_back("subscribers of flight " + reply.flight + " hear different calls");
    }
    if (flight_of_call.emplace(call->number, reply.flight).first->second != reply.flight) {
      findings.push_back("call " + std::to_string(call->number) + " is heard in two flights");
    }
  }
  findings.insert(findings.end(), outcome.evidence.faults.begin(), outcome.evidence.faults.end());
}

}  // namespace slipstream::sim
