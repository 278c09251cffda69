// Bodies of chat requests and the events of their answers.
#pragma once

#include <string>
#include <string_view>

namespace slipstream::faults {

enum class Stream { kYes, kNo };

// A request that may share: greedy decoding. `more` are further members, each with a leading comma.
inline std::string chat(std::string_view content = "hi", Stream stream = Stream::kYes,
                        std::string_view more = {}) {
  std::string out = R"({"model":"m","messages":[{"role":"user","content":")";
  out += content;
  out += R"("}],"temperature":0)";
  if (stream == Stream::kYes) out += R"(,"stream":true)";
  out += more;
  return out + "}";
}

inline std::string delta(std::string_view delta, std::string_view finish = "null") {
  std::string out = R"(data: {"choices":[{"index":0,"delta":)";
  out += delta;
  out += R"(,"finish_reason":)";
  out += finish;
  return out + "}]}\n\n";
}
inline std::string role_event() {
  return delta(R"({"role":"assistant","content":""})");
}
inline std::string token(std::string_view text) {
  return delta(R"({"content":")" + std::string(text) + "\"}");
}
inline std::string finish_event() {
  return delta("{}", "\"stop\"");
}
inline std::string usage_event(int completion_tokens) {
  return R"(data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":)" +
         std::to_string(completion_tokens) + R"(,"total_tokens":)" +
         std::to_string(completion_tokens + 3) + "}}\n\n";
}
inline constexpr std::string_view kDone = "data: [DONE]\n\n";

// A whole streamed answer that says `text`.
inline std::string whole_stream(std::string_view text) {
  return role_event() + token(text) + finish_event() + std::string(kDone);
}
// A whole answer in one piece.
inline std::string whole_body(std::string_view text) {
  return R"({"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",)"
         R"("content":")" +
         std::string(text) + R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,)" +
         R"("completion_tokens":2,"total_tokens":5}})";
}
inline constexpr std::string_view kJson = "content-type: application/json\r\n";

}  // namespace slipstream::faults
