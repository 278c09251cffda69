// What is known about the model behind an upstream, one fact at a time. Values; any thread.
//
// Invariant: values and subjects come from a server, so they hold no control characters and are
// short: what is long, or may carry a secret (launch commands), is kept as a hash.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace slipstream::identity {

// Closed set. The order is the order on pages.
enum class FactName {
  kLabel,           // the operator's own name for what runs (option `epoch`)
  kArtifactDigest,  // hash or immutable revision of the weights
  kModel,           // a name that the server lists
  kModelPath,       // where the weights were loaded from
  kModelDetails,    // quantization, size, type
  kTokenizer,
  kWeightVersion,  // counted by the server when weights are replaced at run time
  kRemote,         // the model runs elsewhere; what is observed here does not pin it
  kTemplate,
  kTemplateDate,  // the template prints today's date
  kSamplingDefaults,
  kContextLength,
  kAdapters,
  kBuild,
  kCommand  // launch flags
};
inline constexpr std::array<std::string_view, 15> kFactNames = {"label",
                                                                "artifact_digest",
                                                                "model",
                                                                "model_path",
                                                                "model_details",
                                                                "tokenizer",
                                                                "weight_version",
                                                                "remote",
                                                                "template",
                                                                "template_date",
                                                                "sampling_defaults",
                                                                "context_length",
                                                                "adapters",
                                                                "build",
                                                                "command"};
constexpr std::string_view to_string(FactName name) {
  return kFactNames[static_cast<std::size_t>(name)];
}

struct Fact {
  enum class Origin { kObserved, kDeclared };

  FactName name{};
  std::string subject{};  // the model it is about; empty: the server as a whole
  std::string value{};
  std::string source{};  // "GET /props", or the option that declares it
  Origin origin = Origin::kObserved;
  auto operator<=>(const Fact&) const = default;
};

// SHA-256 in lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);
// "sha256:" and 32 digits: what stands for a text that is not shown.
std::string hashed(std::string_view text);
// The text itself if it can be shown on one line, else hashed().
std::string shown(std::string_view text);

// True if a chat template that reads like this may print the current date. Errs towards yes: a
// false alarm costs the joins across one midnight.
bool prints_date(std::string_view chat_template);

}  // namespace slipstream::identity
