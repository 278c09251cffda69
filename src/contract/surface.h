// The surfaces that have a contract, as data: where they are, how they answer, what work they ask
// for. One row per surface; everything else passes through unshared.
// Constant data; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipstream::contract {

enum class Surface {
  kPassThrough,
  kChatCompletions,
  kCompletions,
  kEmbeddings,
  kResponses,
  kRerank,
  kTokenize,
  kMessages,        // Anthropic
  kCountTokens,     // Anthropic
  kOllamaChat,      // Ollama's own paths
  kOllamaGenerate,  //
  kOllamaEmbed,     //
  kTranscriptions,  // multipart
};
inline constexpr std::size_t kSurfaceCount = static_cast<std::size_t>(Surface::kTranscriptions) + 1;

// Whose error objects the callers of a surface understand, in bodies and inside streams.
enum class Dialect { kOpenAi, kAnthropic, kOllama };

// How a streamed answer is cut into events.
enum class StreamForm {
  kNone,         // never streams
  kEvents,       // text/event-stream, data only
  kNamedEvents,  // text/event-stream, every event has a name
  kLines,        // application/x-ndjson, one JSON object per line
};

// What the request asks the model to do: draw tokens, or compute a function of its input.
enum class Work { kGeneration, kFunction };

enum class BodyKind { kJson, kMultipart };

struct SurfaceRow {
  Surface surface;
  std::string_view name;  // snake_case, stable: configuration, metrics, pages
  Dialect dialect;
  StreamForm streams;
  Work work;
  BodyKind body;
  enum class Streamed { kWhenAsked, kUnlessDeclined } streamed;  // an absent `stream` means
};

const SurfaceRow& row_of(Surface surface);
std::span<const SurfaceRow> surfaces();  // in the order of the enum
std::string_view to_string(Surface surface);
// Every path of a surface; {name} stands for one segment.
std::vector<std::string> paths_of(Surface surface);
// The path as sent, byte for byte: what is spelled otherwise passes through unshared.
Surface surface_of(std::string_view method, std::string_view path);

}  // namespace slipstream::contract
