// The surfaces that the stub serves, each described by data: its path, its framing and the shapes
// of its answers as patterns (lab/fill.h). One writer (lab/answer.h) speaks all of them.
//
// Gaps in patterns:
//   $c number of the call      $m model, quoted          $t text of this token
//   $T text of all tokens      $i index of the choice    $C item of every choice, with commas
//   $p prompt tokens           $n generated tokens       $N their sum
//   $f finish reason           $d details of the finish  $q next number of an event, from 0
//   $e what failed, quoted     $S, $U the fragments `shared` and `usage`
//
// Constants; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lab/timeline.h"

namespace slipstream::lab {

struct StubRequest;

enum class Surface {
  kChat,
  kCompletions,
  kEmbeddings,
  kResponses,
  kRerank,
  kTokenize,
  kMessages,
  kCountTokens,
  kOllamaChat,
  kOllamaGenerate,
  kOllamaEmbed,
  kTranscriptions,
};
inline constexpr std::size_t kSurfaces = 12;

enum class Framing {
  kData,   // "data: {...}" and a blank line
  kNamed,  // "event: name" before it, and the name again as member "type"
  kLines,  // one object in each line
};
enum class ErrorShape { kOpenAi, kAnthropic, kOllama };
enum class BodyForm { kJson, kMultipart };

struct Event {
  std::string_view name;  // kNamed only
  std::string_view data;  // pattern; of kNamed the members that follow "type"
};
using Events = std::span<const Event>;

struct Finish {
  std::string_view reason;
  std::string_view details;
};

struct Dialect {
  std::string_view path{};
  std::string_view required{};  // member without which a request is refused; empty: none
  BodyForm form = BodyForm::kJson;
  Delivery delivery = Delivery::kWhole;  // if the request does not say
  ErrorShape errors = ErrorShape::kOpenAi;

  // A generating surface. What is empty is not sent.
  Framing framing = Framing::kData;
  std::string_view keep_alive{};  // not a pattern
  Events opening{};               // with the head
  Events first{};                 // token 0 if it differs
  Events token{};
  Events finish{};
  Events usage_chunk{};  // if asked for
  Events done{};
  Events error{};
  Finish stopped{};
  Finish too_long{};
  std::string_view shared{};
  std::string_view usage{};
  std::string_view item{};
  std::string_view whole{};
  std::string_view plain{};  // the answer as text/plain, if asked for

  // Any other: the answer is a function of the request and the call's number.
  std::string (*compute)(const StubRequest& request, std::uint64_t call) = nullptr;
};

const Dialect& dialect_of(Surface surface);
std::optional<Surface> surface_at(std::string_view path);  // of a POST

// The error answer of a status; type and code follow from it.
std::string error_object(ErrorShape shape, int status, std::string_view message);

inline constexpr std::string_view kCommentEvent = ": keep-alive\n\n";

// The rows of the table, by vendor.
extern const Dialect kChatDialect;
extern const Dialect kCompletionsDialect;
extern const Dialect kEmbeddingsDialect;
extern const Dialect kResponsesDialect;
extern const Dialect kRerankDialect;
extern const Dialect kTokenizeDialect;
extern const Dialect kMessagesDialect;
extern const Dialect kCountTokensDialect;
extern const Dialect kOllamaChatDialect;
extern const Dialect kOllamaGenerateDialect;
extern const Dialect kOllamaEmbedDialect;
extern const Dialect kTranscriptionsDialect;

}  // namespace slipstream::lab
