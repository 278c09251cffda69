// One answer of the scripted upstream: what it says, how it frames it, and where it goes wrong.
#pragma once

#include <cstdint>
#include <string>

#include "sim/exchange_record.h"
#include "sim/swarm.h"

namespace slipstream::sim {

struct Script {
  enum class Shape { kStream, kJson, kError };
  enum class Framing { kChunked, kLength, kUntilClose };
  enum class Trouble {
    kNone,
    kFin,      // from cut_at on: the connection ends
    kReset,    // ... is aborted
    kSilence,  // ... nothing more comes
    kGarbage,  // not HTTP at all
  };
  enum class After { kKeep, kClose, kSurplus, kCloseSoon };

  Shape shape = Shape::kJson;
  Framing framing = Framing::kLength;
  Trouble trouble = Trouble::kNone;
  After after = After::kKeep;
  int status = 200;
  std::uint64_t cut_at = 0;  // bytes of the wire form
  std::uint64_t tokens = 1;
  std::uint64_t token_bytes = 0;  // padding of each
  std::uint64_t first_delay_ms = 0;
  std::uint64_t gap_ms = 0;
  std::uint64_t error_at = UINT64_MAX;  // token before which an error event comes
  std::uint64_t retry_after_s = 0;
  bool interim = false;  // a 103 comes first
  bool role = true;
  bool finish_reason = true;
  bool usage = false;
  bool done = true;
  bool crlf = false;
  bool pings = false;
};

Script draw_script(SimWorld& world, const Swarm& swarm, const Call& call);

// Makes an answer piece by piece, each at the moment when it is sent: tokens carry the call's
// number and their time.
class ScriptReader {
 public:
  ScriptReader(SimWorld& world, const Script& script, Call& call)
      : world_(world), script_(script), call_(call) {}

  // The next bytes for the wire; empty when there are no more.
  std::string next();
  // Nothing more will come.
  bool over() const;
  // Before the piece that next() makes.
  std::uint64_t delay_ms() const;

 private:
  std::string head(std::uint64_t length);
  std::string framed(std::string body);
  std::string event(std::string_view data);
  std::string next_of_stream();
  std::string whole_body();
  std::string token();

  SimWorld& world_;
  const Script script_;
  Call& call_;
  std::uint64_t step_ = 0;
  std::uint64_t tokens_made_ = 0;
};

}  // namespace slipstream::sim
