// What the stub model server remembers between calls: numbers, loaded models, statistics.
// Pure: it is told the time. Thread rule: the stub's loop.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "lab/identity.h"
#include "lab/script.h"
#include "lab/stub_request.h"

namespace slipstream::lab {

struct StubStats {
  std::uint64_t calls = 0;  // answers asked for, refused ones included
  std::array<std::uint64_t, kSurfaces> by_surface{};
  std::uint64_t aborts = 0;  // callers that left before their answer was complete
  std::uint64_t live = 0;
  std::uint64_t live_max = 0;
  std::uint64_t tokens = 0;  // generated, all choices together

  std::string to_json() const;
};

struct StubOptions {
  StubScript script;           // for calls whose model name sets nothing else
  std::string model = "stub";  // what /v1/models lists; every other name is served as well
  Identity identity{};         // until set_identity()
};

// How one call goes.
struct CallPlan {
  std::uint64_t number = 0;  // from 1, never used twice
  StubScript script;         // `tokens` lowered to what the request asked for
  Duration load_wait{};      // until the model is loaded
};

class StubState {
 public:
  explicit StubState(StubOptions options) : options_(std::move(options)) {}

  // Counts a call as live and plans it; end() must follow.
  Result<CallPlan, ScriptError> begin(const StubRequest& request, Time now);
  enum class Ending { kAnswered, kCallerGone };
  void end(Ending ending);
  void count_tokens(std::uint64_t tokens) { stats_.tokens += tokens; }

  // Forgets statistics and loaded models. Live calls stay live, numbers go on, identity stays.
  void reset();

  // Changes the identity as parse_identity() does; if that fails it stays, and the error returns.
  std::optional<ScriptError> set_identity(std::string_view settings);

  const StubStats& stats() const { return stats_; }
  const StubOptions& options() const { return options_; }

 private:
  struct Model {
    int calls = 0;
    Time loaded_at{};
  };
  static constexpr std::size_t kModelsMax = 10'000;  // beyond: all are forgotten

  Model& model(const std::string& name, Duration load, Time now);

  StubOptions options_;
  StubStats stats_;
  std::uint64_t next_number_ = 1;
  std::unordered_map<std::string, Model> models_;
};

}  // namespace slipstream::lab
