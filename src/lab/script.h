// What the stub model server does with one call: speed, length and the fault to play.
//
// A script is a plain value. The stub has a default one (command line), and a request may change it
// through its model name: "stub:first=300ms,tokens=50,cut=5" is the model "stub:first=..." whose
// calls follow the default script with these settings on top.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace slipstream::lab {

// How a cut answer ends.
enum class CutAs {
  kFin,    // "fin": the connection is closed in the middle of the body
  kReset,  // "reset": the same with a TCP reset
  kEnd,    // "end": the body ends cleanly, but without finish reason and [DONE]
};

struct StubScript {
  static constexpr int kNever = -1;
  static constexpr int kAtHead = -2;  // silence only: not even a response head

  Duration first{};            // first=300ms: from the request (or the loaded model) to token 0
  Duration interval{};         // interval=10ms: between tokens
  int tokens = 20;             // tokens=50: max_tokens in a request can only lower it
  int token_bytes = 0;         // bytes=64: tokens are padded to at least this size
  Duration load{};             // load=2s: first call for a model waits, others join the wait
  Duration comments{};         // comments=1s: a comment line whenever this long nothing was sent
  int error = 0;               // error=503: answer with this status instead
  int error_calls = kNever;    // error_calls=2: only the first calls for a model; -1 = all
  int retry_after = kNever;    // retry_after=1: seconds, in the error's Retry-After
  int cut = kNever;            // cut=5: end the answer after so many tokens
  CutAs cut_as = CutAs::kFin;  // cut_as=reset
  int error_event = kNever;    // error_event=5: an error object in the stream after so many tokens
  int silence_after = kNever;  // silence_after=3 or =head: send no more, keep the connection
};

// The setting that is wrong, and why, in one sentence.
struct ScriptError {
  std::string message;
};

// `defaults` with "name=value,name=value" on top. Durations as 300ms, 2s; counts as digits.
// Fails on an unknown name (suggesting the nearest) or a value out of form.
Result<StubScript, ScriptError> parse_script(std::string_view settings, const StubScript& defaults);

// The script of a model name: what follows its first ':' if that contains a '=', else `defaults`
// ("llama3:8b" is a name like any other).
Result<StubScript, ScriptError> script_of_model(std::string_view model, const StubScript& defaults);

}  // namespace slipstream::lab
