// What every surface shares and does not: one list of requests, each with its verdict.
#include "contract/contract.h"
#include "contract/contract_testing.h"
#include "contract/fields.h"
#include "contract/reference.h"
#include "contract/servers.h"

#include <fstream>
#include <set>
#include <sstream>

namespace slipstream::contract {
namespace {

struct Row {
  std::string body;
  std::string reason;
  Profile profile = Profile::kGeneric;
};

void expect_rows(const std::string& path, const std::vector<Row>& rows) {
  const http::Head head = post_head(path);
  for (const Row& row : rows) {
    Policy policy;
    policy.profile = row.profile;
    const Examined seen = examined(head, row.body, policy);
    EXPECT_EQ(seen.fault, "") << row.body;
    EXPECT_EQ(seen.reason(), row.reason)
        << path << ' ' << row.body << ' ' << to_string(row.profile) << '\n'
        << seen.contract.verdict.proof.text();
    const bool shares = row.reason == "greedy" || row.reason == "seeded" || row.reason == "pure";
    EXPECT_EQ(seen.shareable(), shares) << row.body;
  }
}

TEST(Surface, IsFoundByMethodAndExactPath) {
  std::set<std::string> seen;
  for (const SurfaceRow& row : surfaces().subspan(1)) {
    EXPECT_FALSE(paths_of(row.surface).empty()) << row.name;
    EXPECT_FALSE(fields_of(row.surface).rows().empty()) << row.name;
    for (std::string path : paths_of(row.surface)) {
      if (const auto at = path.find("{name}"); at != std::string::npos)
        path.replace(at, 6, "gpt-4");
      EXPECT_TRUE(seen.insert(path).second);
      EXPECT_EQ(surface_of("POST", path), row.surface) << path;
      for (const char* method : {"GET", "PUT", "post", "DELETE"}) {
        EXPECT_EQ(surface_of(method, path), Surface::kPassThrough) << path;
      }
      EXPECT_EQ(surface_of("POST", path + "/"), Surface::kPassThrough) << path;
      EXPECT_EQ(surface_of("POST", "/x" + path), Surface::kPassThrough) << path;
    }
  }
  EXPECT_EQ(seen.size(), 18u);
  for (const char* path :
       {"", "/", "/openai/deployments//completions", "/openai/deployments/a/b/completions",
        "/openai/deployments/completions", "/openai/deployments/a/images", "/v1/images"}) {
    EXPECT_EQ(surface_of("POST", path), Surface::kPassThrough) << path;
  }
}

TEST(Surface, TellsWhetherTheAnswerIsAStream) {
  const auto streamed = [](const std::string& path, const std::string& member) {
    return examined(post_head(path), "{" + member + "}").contract.streamed;
  };
  for (const char* path :
       {"/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages"}) {
    EXPECT_FALSE(streamed(path, "")) << path;
    EXPECT_FALSE(streamed(path, R"("stream":null)")) << path;
    EXPECT_FALSE(streamed(path, R"("stream":1)")) << path;
    EXPECT_TRUE(streamed(path, R"("stream":true)")) << path;
  }
  for (const char* path : {"/api/chat", "/api/generate"}) {
    EXPECT_TRUE(streamed(path, "")) << path;
    EXPECT_TRUE(streamed(path, R"("stream":null)")) << path;
    EXPECT_TRUE(streamed(path, R"("stream":true)")) << path;
    EXPECT_FALSE(streamed(path, R"("stream":false)")) << path;
    EXPECT_FALSE(examined(post_head(path), "[]").contract.streamed);
  }
  for (const char* path :
       {"/v1/embeddings", "/api/embed", "/tokenize", "/v1/messages/count_tokens"}) {
    EXPECT_FALSE(streamed(path, R"("stream":true)")) << path;
  }
}

// Whatever the surface: what acts or tells the time never shares, what is unknown proves nothing.
TEST(Surface, ClassesDecideOnEverySurface) {
  for (const SurfaceRow& surface : surfaces().subspan(1)) {
    if (surface.body == BodyKind::kMultipart) continue;
    const http::Head head = post_head(path_of(surface.surface));
    Policy open;
    open.share_sampled = true;
    open.seed_honoured = true;
    for (const FieldRow& row : fields_of(surface.surface).rows()) {
      const std::string body = "{\"" + std::string(row.name) + "\":1}";
      const std::string reason = examined(head, body, open).reason();
      if (row.field_class == FieldClass::kEffect) EXPECT_EQ(reason, "side_effect") << body;
      const bool stores = surface.surface == Surface::kResponses;
      const bool idle = surface.dialect == Dialect::kOllama;
      if (row.field_class == FieldClass::kClock && !stores) EXPECT_EQ(reason, "clock") << body;
      EXPECT_EQ(
          examined(head, R"({"x_new":1,"prompt":"p","messages":[1],"input":"i","store":false})",
                   open)
              .shareable(),
          false);
      if (idle)
        EXPECT_TRUE(reason == "side_effect" || row.part == Part::kPrompt ||
                    row.part == Part::kContent)
            << body;
    }
  }
}

TEST(Surface, Completions) {
  expect_rows("/v1/completions",
              {{R"({"prompt":"a","temperature":0,"echo":true,"best_of":2,"suffix":"s"})", "greedy"},
               {R"({"prompt":"https://example.com/a","temperature":0})", "greedy"},
               {R"({"prompt":"a"})", "sampled"},
               {R"({"prompt":"a","seed":1})", "seed_unproven"},
               {R"({"prompt":"a","seed":1})", "seeded", Profile::kLlamaCpp},
               {R"({"prompt":"a","messages":[],"temperature":0})", "unknown_field"},
               {R"({"prompt":"a","temperature":0,"mirostat":2})", "sampled", Profile::kLlamaCpp},
               {R"({"prompt":"a","temperature":0,"kv_transfer_params":{}})", "side_effect"}});
}

TEST(Surface, FunctionsArePure) {
  expect_rows(
      "/v1/embeddings",
      {{R"({"input":["https://a.example","b"],"encoding_format":"base64"})", "pure"},
       {R"({"input":[1,2],"user":"u","dimensions":4})", "pure"},
       {R"({"input":[{"image":"https://a.example/b.png"}]})", "remote_content"},
       {R"({"messages":[{"content":[{"image_url":{"url":"http://a/b"}}]}]})", "remote_content"},
       {R"({"input":"a","x_new":1})", "unknown_field"},
       {"[]", "not_json"}});
  expect_rows("/v1/rerank",
              {{R"({"query":"q","documents":["http://a","b"],"top_n":1})", "pure"},
               {R"({"query":"q","documents":[{"url":"http://a"}]})", "remote_content"}});
  expect_rows("/tokenize", {{R"({"prompt":"a","add_special_tokens":false})", "pure"},
                            {R"({"content":"a","with_pieces":true})", "pure"}});
  expect_rows(
      "/v1/messages/count_tokens",
      {{R"({"model":"c","messages":[{"role":"user","content":"a"}],"tools":[{"name":"f"}]})",
        "pure"},
       {R"({"model":"c","messages":[{"content":[{"source":{"type":"url","url":"https://a"}}]}]})",
        "remote_content"}});
}

TEST(Surface, ResponsesAreStoredUnlessDeclined) {
  using enum Profile;
  expect_rows("/v1/responses",
              {{R"({"input":"a","temperature":0})", "side_effect"},
               {R"({"input":"a","temperature":0,"store":null})", "side_effect"},
               {R"({"input":"a","temperature":0,"store":true})", "side_effect", kOpenAi},
               {R"({"input":"a","temperature":0,"store":false})", "greedy"},
               {R"({"input":"a","temperature":0})", "greedy", kVllm},
               {R"({"input":"a","temperature":0})", "greedy", kLlamaCpp},
               {R"({"input":"a","temperature":0,"store":true})", "greedy", kOllama},
               {R"({"input":"a","temperature":0})", "side_effect", kSglang},
               {R"({"input":"a","top_k":1,"store":false})", "sampled", kVllm},
               {R"({"input":"https://a.example","temperature":0,"store":false})", "greedy"}});
  const auto with = [](const std::string& member) {
    return R"({"temperature":0,"store":false,)" + member + "}";
  };
  expect_rows(
      "/v1/responses",
      {{with(R"("previous_response_id":"r")"), "side_effect"},
       {with(R"("previous_response_id":null,"background":false)"), "greedy"},
       {with(R"("background":true)"), "side_effect"},
       {with(R"("conversation":"c")"), "side_effect", kLlamaCpp},
       {with(R"("prompt":{"id":"p"})"), "side_effect"},
       {with(R"("tools":[{"type":"function"},{"type":"local_shell"},{"type":"apply_patch"}])"),
        "greedy"},
       {with(R"("tools":[{"type":"web_search"}])"), "side_effect"},
       {with(R"("tools":[{"type":"mcp"}])"), "side_effect", kLlamaCpp},
       {with(
            R"("input":[{"role":"user","content":"a"},{"type":"function_call_output","output":"http:a"}])"),
        "greedy"},
       {with(R"("input":[{"type":"item_reference","id":"i"}])"), "side_effect"},
       {with(R"("input":[{"id":"i"}])"), "side_effect"},
       {with(
            R"("input":[{"role":"user","content":[{"type":"input_image","image_url":"https://a"}]}])"),
        "remote_content"},
       {with(
            R"("input":[{"role":"user","content":[{"type":"input_file","file_url":"https://a"}]}])"),
        "remote_content"}});
}

TEST(Surface, MessagesAreSampledUnlessALocalServerAnswers) {
  using enum Profile;
  const auto with = [](const std::string& member) {
    return R"({"model":"c","max_tokens":9,"messages":[{"role":"user","content":"a"}],"temperature":0)" +
           (member.empty() ? "" : "," + member) + "}";
  };
  expect_rows("/v1/messages",
              {{with(""), "sampled"},
               {with(""), "sampled", kAnthropic},
               {with(""), "sampled", kOpenAi},
               {with(""), "greedy", kVllm},
               {with(""), "greedy", kOllama},
               {R"({"messages":[],"top_k":1})", "greedy", kSglang},
               {R"({"messages":[],"top_k":1})", "sampled", kOllama},
               {with(R"("metadata":{"user_id":"u"})"), "greedy", kVllm},
               {with(R"("metadata":{"user_id":"u","x":1})"), "unknown_field", kVllm},
               {with(R"("metadata":[])"), "unknown_field", kVllm},
               {with(R"("cache_control":{"type":"ephemeral"})"), "greedy", kVllm},
               {with(R"("container":"c")"), "side_effect", kVllm},
               {with(R"("mcp_servers":[])"), "side_effect", kVllm},
               {with(R"("seed":1)"), "unknown_field", kVllm},
               {with(R"("tools":[{"name":"f"},{"type":"custom","name":"g"}])"), "greedy", kVllm},
               {with(R"("tools":[{"type":"bash_20250124","name":"bash"}])"), "greedy", kVllm},
               {with(R"("tools":[{"type":"web_search_20250305"}])"), "side_effect", kVllm}});
}

TEST(Surface, OllamaReadsItsOptions) {
  using enum Profile;
  const auto chat = [](const std::string& options, const std::string& more = "") {
    return R"({"model":"l","messages":[{"role":"user","content":"a"}],"options":)" + options +
           more + "}";
  };
  expect_rows("/api/chat",
              {{chat(R"({"temperature":0})"), "greedy"},
               {chat(R"({"temperature":0.0})"), "greedy", kOllama},
               {chat(R"({"temperature":0e1,"num_ctx":4096})"), "greedy"},
               {chat(R"({"temperature":0})"), "sampled", kLlamaCpp},
               {chat(R"({"temperature":0})"), "sampled", kVllm},
               {chat(R"({"temperature":0.1})"), "sampled"},
               {chat(R"({"seed":7})"), "seeded"},
               {chat(R"({"seed":7.0,"temperature":1})"), "seeded", kOllama},
               {chat(R"({"seed":-1})"), "sampled"},
               {chat(R"({"seed":4294967295})"), "sampled"},
               {chat(R"({"seed":7})"), "seed_unproven", kLlamaCpp},
               {chat(R"({"temperature":0,"mirostat":1})"), "unknown_field"},
               {chat(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"temperature":0})"), "unknown_field"},
               {chat("[]"), "unknown_field"},
               {chat("null"), "sampled"},
               {chat("{}", R"(,"temperature":0)"), "unknown_field"}});
  const auto kept = [&](const std::string& time) {
    return chat(R"({"temperature":0})", R"(,"keep_alive":)" + time);
  };
  expect_rows("/api/chat", {{kept("\"5m\""), "greedy"},
                            {kept("-1"), "greedy"},
                            {kept("300"), "greedy"},
                            {kept("null"), "greedy"},
                            {kept("0"), "side_effect"},
                            {kept("0.0"), "side_effect"},
                            {kept("\"0\""), "side_effect"},
                            {kept("\"0s\""), "side_effect"},
                            {kept("\"\""), "side_effect"}});
  const std::string cold = R"("options":{"temperature":0})";
  expect_rows("/api/generate",
              {{"{\"prompt\":\"a\"," + cold + "}", "greedy"},
               {"{\"prompt\":\"\"," + cold + "}", "side_effect"},
               {"{" + cold + "}", "side_effect"},
               {"{\"prompt\":null," + cold + "}", "side_effect"},
               {"{\"prompt\":\"a\",\"images\":[\"aGk=\"]," + cold + "}", "greedy"}});
  expect_rows("/api/chat", {{"{\"messages\":[]," + cold + "}", "side_effect"}});
  expect_rows("/api/embed", {{R"({"input":"a"})", "pure"},
                             {R"({"input":["a"],"keep_alive":0})", "side_effect"},
                             {R"({"input":""})", "side_effect"},
                             {R"({"model":"m"})", "side_effect"}});
}

TEST(Servers, ProveGreedyEachInItsWay) {
  using enum Profile;
  const auto reason = [](Profile profile, const std::string& member) {
    Policy policy;
    policy.profile = profile;
    return examined(chat_head(), R"({"messages":[],)" + member + "}", policy).reason();
  };
  for (std::size_t i = 0; i < kProfileNames.size(); ++i) {
    const auto profile = static_cast<Profile>(i);
    EXPECT_EQ(reason(profile, R"("temperature":0)"), profile == kAnthropic ? "sampled" : "greedy");
    EXPECT_EQ(reason(profile, R"("temperature":0.5)"), "sampled");
    EXPECT_EQ(reason(profile, R"("temperature":-1)"), profile == kLlamaCpp ? "greedy" : "sampled");
    const bool tiny = profile == kSglang;
    EXPECT_EQ(reason(profile, R"("temperature":9e-7)"), tiny ? "greedy" : "sampled");
    EXPECT_EQ(reason(profile, R"("temperature":0.00000099999)"), tiny ? "greedy" : "sampled");
    EXPECT_EQ(reason(profile, R"("temperature":1e-6)"), "sampled");
    EXPECT_EQ(reason(profile, R"("temperature":0.000001)"), "sampled");
    const bool forced = profile == kVllm || profile == kSglang || profile == kLlamaCpp;
    EXPECT_EQ(reason(profile, R"("temperature":1,"top_k":1)"), forced ? "greedy" : "sampled");
    EXPECT_EQ(reason(profile, R"("top_k":1.0)"), forced ? "greedy" : "sampled");
    EXPECT_EQ(reason(profile, R"("top_k":1,"samplers":["top_p"])"), "sampled");
    EXPECT_EQ(reason(profile, R"("top_k":2)"), "sampled");
    const bool honoured =
        profile == kVllm || profile == kLlamaCpp || profile == kOllama || profile == kTgi;
    EXPECT_EQ(reason(profile, R"("seed":7)"), honoured ? "seeded" : "seed_unproven");
    EXPECT_EQ(reason(profile, R"("seed":-1)"), "sampled");
    EXPECT_EQ(reason(profile, R"("seed":4294967295)"), profile == kVllm ? "seeded" : "sampled");
  }
}

TEST(Servers, WhatIsIgnoredNeitherActsNorCounts) {
  Policy ollama;
  ollama.profile = Profile::kOllama;
  const auto with = [&](const std::string& members) {
    return examined(chat_head(), R"({"messages":[],"temperature":0)" + members + "}", ollama);
  };
  const Key plain = with("").key();
  const Examined marked = with(R"(,"store":true,"metadata":{"a":1},"user":"u")");
  EXPECT_EQ(marked.reason(), "greedy");
  EXPECT_EQ(marked.key(), plain);
  EXPECT_EQ(marked.contract.canonical_body, R"({"messages":[],"temperature":0})");
  EXPECT_NE(with(R"(,"n":1)").key(), plain);
  // The word that a proof names outlives the cut.
  const Examined unknown = with(R"(,"user":"u","zebra":1)");
  EXPECT_EQ(unknown.contract.verdict.proof.text(),
            "The field `zebra` is outside the field table, so nothing can be proven.");
}

TEST(Headers, OfTheWayHereCountOnlyWhereAServerMayAct) {
  const auto key = [](Profile profile, const std::vector<std::string>& fields,
                      const std::vector<std::string>& harmless = {}) {
    Policy policy;
    policy.profile = profile;
    policy.harmless_headers = harmless;
    return examined(chat_head(fields), "{}", policy).key();
  };
  for (const char* field :
       {"forwarded: for=a", "via: 1.1 p", "x-forwarded-for: a", "x-forwarded-host: a",
        "x-forwarded-port: 1", "x-forwarded-proto: https", "x-real-ip: a"}) {
    EXPECT_NE(key(Profile::kGeneric, {field}), key(Profile::kGeneric, {})) << field;
    EXPECT_NE(key(Profile::kOpenAi, {field}), key(Profile::kOpenAi, {})) << field;
    EXPECT_EQ(key(Profile::kVllm, {field}), key(Profile::kVllm, {})) << field;
    const std::string name = std::string(field).substr(0, std::string(field).find(':'));
    EXPECT_EQ(key(Profile::kGeneric, {field}, {name}), key(Profile::kGeneric, {})) << field;
  }
  EXPECT_EQ(key(Profile::kGeneric, {"X-Team: a"}, {"x-team"}), key(Profile::kGeneric, {}));
  EXPECT_NE(key(Profile::kGeneric, {"X-Team: a"}, {"x-tea"}), key(Profile::kGeneric, {}));
  for (const char* field :
       {"cookie: a", "content-type: a", "anthropic-version: a", "openai-beta: a",
        "anthropic-beta: a", "idempotency-key: a", "x-conversation-id: a"}) {
    const std::string name = std::string(field).substr(0, std::string(field).find(':'));
    EXPECT_NE(key(Profile::kVllm, {field}, {name}), key(Profile::kVllm, {})) << field;
  }
  EXPECT_NE(key(Profile::kVllm, {"authorization: a"}, {"authorization"}), key(Profile::kVllm, {}));
}

// Declared context: whatever its form, equal bytes and nothing else are equal; never forwarded.
TEST(Headers, DeclaredContextIsInTheKey) {
  std::set<std::string> keys;
  const std::vector<std::vector<std::string>> declared = {{},
                                                          {""},
                                                          {"snapshot=7"},
                                                          {"snapshot=8"},
                                                          {"snapshot=7, prompt=\"v3\""},
                                                          {"snapshot=7", "prompt=\"v3\""},
                                                          {"prompt=\"v3\"", "snapshot=7"},
                                                          {"anything at all; (even this"}};
  for (const auto& values : declared) {
    std::vector<std::string> fields;
    for (const std::string& value : values) fields.push_back("x-slipstream-vary: " + value);
    keys.insert(examined(chat_head(fields), "{}").key().full_hex());
  }
  EXPECT_EQ(keys.size(), declared.size());
  EXPECT_FALSE(is_forwarded("x-slipstream-vary"));
}

TEST(Transcriptions, AreKeyedWithoutTheBoundary) {
  const auto with = [](const std::string& body, const std::string& boundary,
                       Profile profile = Profile::kGeneric) {
    Policy policy;
    policy.profile = profile;
    return examined(post_head("/v1/audio/transcriptions",
                              {"Content-Type: multipart/form-data; boundary=" + boundary}),
                    body, policy);
  };
  using Parts = std::vector<std::pair<std::string, std::string>>;
  const Parts parts = {{"file", "RIFF"}, {"model", "w"}, {"temperature", "0"}};
  const Examined first = with(form_of(parts, "B"), "B");
  EXPECT_EQ(first.key(), with(form_of(parts, "other-boundary"), "other-boundary").key());
  EXPECT_EQ(first.key(), with(form_of(parts, "B"), "\"B\"").key());
  EXPECT_EQ(first.contract.model, "w");
  EXPECT_EQ(first.reason(), "sampled");
  EXPECT_FALSE(first.contract.streamed);
  const auto reason = [&](const Parts& more, Profile profile = Profile::kVllm) {
    Parts all = {{"file", "RIFF"}, {"model", "w"}};
    all.insert(all.end(), more.begin(), more.end());
    return with(form_of(all), "B", profile).reason();
  };
  EXPECT_EQ(reason({}), "sampled");
  EXPECT_EQ(reason({{"temperature", "0"}}), "greedy");
  EXPECT_EQ(reason({{"temperature", "0.0"}}), "greedy");
  EXPECT_EQ(reason({{"temperature", "0"}}, Profile::kOpenAi), "sampled");
  EXPECT_EQ(reason({{"temperature", "zero"}}), "sampled");
  EXPECT_EQ(reason({{"temperature", "0"}, {"temperature", "1"}}), "unknown_field");
  EXPECT_EQ(reason({{"temperature", "0"}, {"x", "1"}}), "unknown_field");
  EXPECT_EQ(reason({{"temperature", "0"}, {"include[]", "a"}, {"include[]", "b"}}), "greedy");
  EXPECT_EQ(reason({{"seed", "7"}}), "seeded");
  EXPECT_EQ(reason({{"seed", "7"}}, Profile::kOpenAi), "seed_unproven");
  EXPECT_EQ(reason({{"vllm_xargs", "{}"}, {"temperature", "0"}}), "side_effect");
  for (const char* yes : {"true", "True", "1", "on", "yes"}) {
    EXPECT_TRUE(with(form_of({{"stream", yes}}), "B").contract.streamed) << yes;
  }
  EXPECT_FALSE(with(form_of({{"stream", "false"}}), "B").contract.streamed);
  EXPECT_EQ(with("{}", "B").fault,
            "The request body is not an acceptable form: no opening boundary at byte 0.");
  EXPECT_EQ(
      examined(post_head("/v1/audio/transcriptions", {"content-type: application/json"}), "{}")
          .reason(),
      "not_json");
}

TEST(Reference, CommittedPageIsCurrent) {
  std::ifstream file(SLIPSTREAM_CONTRACT_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_TRUE(page.str() == reference_markdown())
      << "docs/contract.md is out of date. Regenerate it with:\n"
         "  slipstream contract-reference > docs/contract.md";
}

}  // namespace
}  // namespace slipstream::contract
