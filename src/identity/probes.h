// What can be asked of each kind of server, as data, and what its answers say. Pure; any thread.
//
// Left out on purpose, because it changes while the model does not: times of the call (`created`),
// loads and counters, `media_marker` of llama.cpp (random per process), ports and host names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/profile.h"
#include "identity/facts.h"

namespace slipstream::identity {

enum class Question {
  kModels,            // GET /v1/models
  kVersion,           // GET /version
  kTokenizerInfo,     // GET /tokenizer_info
  kSglangModel,       // GET /get_model_info, newer: /model_info
  kSglangServer,      // GET /get_server_info, newer: /server_info
  kLlamaCppProps,     // GET /props
  kLlamaCppAdapters,  // GET /lora-adapters
  kOllamaVersion,     // GET /api/version
  kOllamaTags,        // GET /api/tags
  kOllamaShow,        // POST /api/show, for the first models of the list
  kTgiInfo,           // GET /info
  kLmStudioModels     // GET /api/v1/models
};

struct Probe {
  Question question{};
  std::string_view method;
  std::string path;
  std::string body{};     // JSON; empty: none
  std::string subject{};  // the model it asks about
};

// The request for a question. kOllamaShow needs a model.
Probe probe_for(Question question, std::string_view model = {});
// The same by its other name; nothing if it has none.
std::optional<Probe> other_probe_for(const Probe& probe);

// What is asked of a server of that kind, in order; kOllamaShow is not in it. Hosted providers and
// what is unknown are asked little or nothing: they tell nothing that pins a model.
std::span<const Question> questions_of(Profile profile);

// How an unknown server is recognised: asked in this order until an answer decides.
std::span<const Question> detection();
// What a 200 with this body decides; nothing if it does not.
std::optional<Profile> recognise(Question question, std::string_view canonical);
// Hosted providers are known by their name.
std::optional<Profile> recognise_host(std::string_view host);

// What a 200 says, as observed facts whose source names the probe. `canonical`: the body in
// canonical form (json/canonical.h). Never fails: what is not there is no fact.
std::vector<Fact> facts_in(const Probe& probe, std::string_view canonical);

}  // namespace slipstream::identity
