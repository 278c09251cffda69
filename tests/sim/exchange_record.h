// What callers asked and got, and what the scripted upstream was asked and said: the evidence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace slipstream::sim {

struct Question {
  enum class Kind {
    kChat,     // a surface with a contract
    kModels,   // passes through, no body
    kUpload,   // passes through, the body streams on
    kBroken,   // a chat request that is not JSON
    kGarbage,  // not HTTP
  };
  enum class Wish { kNone, kAlone, kMaxAge };

  Kind kind = Kind::kChat;
  std::uint64_t prompt = 0;
  std::uint64_t tenant = 0;  // 0: no credential
  bool streamed = false;
  bool sampled = false;
  bool http10 = false;
  bool expect_continue = false;
  bool last = false;  // connection: close
  Wish wish = Wish::kNone;
  std::uint64_t upload_bytes = 0;
  bool upload_chunked = false;
  std::uint64_t deadline_ms = 0;  // 0: none named
};

// The bytes of a request body that streams on: the upstream can tell whether it got all of them.
std::string upload_body(std::uint64_t bytes);
std::string authorization_of(std::uint64_t tenant);  // empty for none
std::string wire_form(const Question& question);

// What one caller saw of one answer.
struct Reply {
  enum class End {
    kOpen,       // nothing final yet
    kComplete,   // a strict client calls it complete
    kCut,        // the connection ended first
    kReset,      // it was aborted first
    kLeft,       // the caller went away by itself
    kMalformed,  // not HTTP
    kGaveUp,     // the gateway kept the caller waiting beyond every limit
  };

  std::uint64_t caller = 0;
  Question question;
  bool prompt_reader = false;  // reads at once
  bool half_closed = false;    // the caller said that it sends no more
  bool keeps_alive = false;    // the connection goes on after this answer
  End end = End::kOpen;
  int status = 0;  // 0: no head came
  std::string role;
  std::string flight;
  std::string request_id;
  std::string cookie;
  bool event_stream = false;
  std::string body;  // the gateway's own comments are taken out by the checker
  Time asked_at{};   // the whole request was handed to the network
  Time ended_at{};
  long long lateness_ms = 0;  // worst delay from an event's making (or the asking) to its arrival
};

// One call as the upstream saw it.
struct Call {
  std::uint64_t number = 0;
  std::string request_id;
  std::string authorization;
  std::uint64_t prompt = 0;
  bool chat = false;
  bool streamed = false;
  bool upload_intact = true;

  int status = 200;
  bool event_stream = false;
  std::string body;         // as made so far, decoded
  std::string in_band;      // data of the error event, if one was made
  bool whole = false;       // all of it was handed to the network, and nothing broke it off
  bool said_done = false;   // [DONE] was made
  bool framed_end = false;  // its end is told by framing, not by the connection's end
};

struct Evidence {
  std::vector<Reply> replies;
  std::vector<Call> calls;
  std::vector<std::string> faults;  // what the scripted parties found wrong themselves
};

}  // namespace slipstream::sim
