#include "base/random.h"
#include "contract/contract.h"
#include "contract/contract_testing.h"
#include "contract/explain.h"
#include "contract/fields.h"
#include "json/canonical.h"

namespace slipstream::contract {
namespace {

// A body with a model, one message and these members besides.
std::string body_with(const std::string& members) {
  return R"({"model":"m","messages":[{"role":"user","content":"hi"}])" +
         (members.empty() ? "" : "," + members) + "}";
}

struct Row {
  std::string members;
  bool shareable;
  std::string reason;
};

void expect_rows(const std::vector<Row>& rows, const Policy& policy,
                 const std::vector<std::string>& fields = {}) {
  const http::Head head = chat_head(fields);
  for (const Row& row : rows) {
    const Examined seen = examined(head, body_with(row.members), policy);
    EXPECT_EQ(seen.fault, "") << row.members;
    EXPECT_EQ(seen.reason(), row.reason) << row.members << "\n"
                                         << seen.contract.verdict.proof.text();
    EXPECT_EQ(seen.shareable(), row.shareable) << row.members;
    EXPECT_EQ(seen.contract.sampled_only, row.reason == "sampled" || row.reason == "seed_unproven");
    EXPECT_EQ(seen.contract.verdict.proof.text().back(), '.');
  }
}

TEST(Verdict, ProvenGreedyShares) {
  expect_rows(
      {
          {R"("temperature":0)", true, "greedy"},
          {R"("temperature":0.0)", true, "greedy"},
          {R"("temperature":0e5)", true, "greedy"},
          {R"("temperature":-0.0)", true, "greedy"},
          {R"("temperature":0,"n":4)", true, "greedy"},
          {R"("temperature":0,"logprobs":true,"top_logprobs":5)", true, "greedy"},
          {R"("temperature":0,"response_format":{"type":"json_object"})", true, "greedy"},
          {R"("temperature":0,"stream":true,"stream_options":{"include_usage":true})", true,
           "greedy"},
          {R"("temperature":0,"reasoning_effort":"low")", true, "greedy"},
          {R"("temperature":0,"service_tier":"flex","priority":1,"cache_salt":"s")", true,
           "greedy"},
          {R"("temperature":0,"user":"u","safety_identifier":"s")", true, "greedy"},
          {R"("temperature":0,"use_beam_search":false)", true, "greedy"},
      },
      {});
}

TEST(Verdict, SampledRunsAlone) {
  expect_rows(
      {
          {"", false, "sampled"},
          {R"("temperature":null)", false, "sampled"},
          {R"("temperature":"0")", false, "sampled"},
          {R"("temperature":0.0001)", false, "sampled"},
          {R"("temperature":1e-300)", false, "sampled"},
          {R"("temperature":-1)", false, "sampled"},
          {R"("temperature":1,"n":4)", false, "sampled"},
          {R"("top_k":2)", false, "sampled"},
          {R"("temperature":1,"top_k":1)", false, "sampled"},
          {R"("top_k":1.0)", false, "sampled"},
          {R"("reasoning_effort":"high")", false, "sampled"},
          {R"("seed":7)", false, "seed_unproven"},
      },
      {});
}

TEST(Verdict, RandomSamplersBreakGreedy) {
  for (const FieldRow& row : fields_of(Surface::kChatCompletions).rows()) {
    if (row.sampling == Sampling::kNeutral) continue;
    const std::string field = "\"" + std::string(row.name) + "\":1";
    const Examined seen = examined(chat_head(), body_with(R"("temperature":0,)" + field));
    EXPECT_EQ(seen.reason(), "sampled") << field;
    EXPECT_NE(seen.contract.verdict.proof.text().find(row.name), std::string::npos);
    Policy policy;
    policy.seed_honoured = true;
    const Examined seeded = examined(chat_head(), body_with(R"("seed":7,)" + field), policy);
    EXPECT_EQ(seeded.shareable(), row.sampling != Sampling::kOpaque) << field;
  }
}

TEST(Verdict, SeedSharesOnlyWhereHonoured) {
  Policy policy;
  policy.seed_honoured = true;
  expect_rows(
      {
          {R"("seed":7)", true, "seeded"},
          {R"("seed":0,"temperature":1.5)", true, "seeded"},
          {R"("seed":7e1)", true, "seeded"},
          {R"("seed":-1)", false, "sampled"},
          {R"("seed":-1.0)", false, "sampled"},
          {R"("seed":4294967295)", false, "sampled"},
          {R"("seed":8589934591)", false, "sampled"},  // the same 32 bits
          {R"("seed":0.5)", false, "sampled"},
          {R"("seed":"7")", false, "sampled"},
          {R"("seed":null)", false, "sampled"},
          {R"("seed":99999999999999999999)", false, "sampled"},
      },
      policy);
}

TEST(Verdict, SampledSharesByOptIn) {
  Policy policy;
  policy.share_sampled = true;
  expect_rows({{"", true, "sampled_shared"}, {R"("store":true)", false, "side_effect"}}, policy);
  expect_rows({{"", true, "sampled_shared"}, {R"("temperature":0)", true, "greedy"}}, {},
              {R"(x-slipstream-coalesce: share; group="g")"});
  expect_rows({{"", true, "sampled_shared"}}, {}, {"x-slipstream-coalesce: share ;group=g1; x=1"});
  expect_rows({{"", false, "sampled"}, {R"("temperature":0)", true, "greedy"}}, {},
              {"x-slipstream-coalesce: share"});
}

TEST(Verdict, GroupIsPartOfTheKey) {
  const auto key = [](const std::string& group) {
    return examined(chat_head({"x-slipstream-coalesce: share; group=\"" + group + "\""}),
                    body_with(""))
        .key();
  };
  EXPECT_EQ(key("0"), key("0"));
  EXPECT_NE(key("0"), key("1"));
  EXPECT_NE(key("0"), examined(chat_head(), body_with("")).key());
}

TEST(Verdict, WhatActsOrTellsTheTimeNeverShares) {
  Policy open;
  open.share_sampled = true;
  open.seed_honoured = true;
  for (const FieldRow& row : fields_of(Surface::kChatCompletions).rows()) {
    if (row.field_class != FieldClass::kEffect && row.field_class != FieldClass::kClock) continue;
    const std::string expected = row.field_class == FieldClass::kEffect ? "side_effect" : "clock";
    const std::string name = "\"" + std::string(row.name) + "\":";
    expect_rows({{name + "true", false, expected},
                 {name + R"({"a":"b"})", false, expected},
                 {name + "null", true, "sampled_shared"},
                 {name + "false", true, "sampled_shared"}},
                open);
  }
  expect_rows(
      {
          {R"("temperature":0,"modalities":["text","audio"])", false, "side_effect"},
          {R"("temperature":0,"audio":{"voice":"alloy"})", false, "side_effect"},
          {R"("temperature":0,"modalities":["text"])", true, "greedy"},
      },
      open);
}

TEST(Verdict, UnknownFieldsProveNothing) {
  Policy policy;
  policy.share_sampled = true;
  expect_rows(
      {{R"("x_foo":1)", false, "unknown_field"}, {R"("Temperature":0)", false, "unknown_field"}},
      policy);
  policy.harmless_fields = {"x_foo"};
  expect_rows({{R"("x_foo":1)", true, "sampled_shared"}, {R"("x_bar":1)", false, "unknown_field"}},
              policy);
}

TEST(Verdict, ServerRunToolsNeverShare) {
  expect_rows(
      {
          {R"("temperature":0,"tools":[{"type":"function","function":{"name":"f"}}])", true,
           "greedy"},
          {R"("temperature":0,"tools":[{"type":"custom"}])", true, "greedy"},
          {R"("temperature":0,"tools":[])", true, "greedy"},
          {R"("temperature":0,"tools":null)", true, "greedy"},
          {R"("temperature":0,"tools":[{"type":"function"},{"type":"mcp"}])", false, "side_effect"},
          {R"("temperature":0,"tools":[{"type":"web_search"}])", false, "side_effect"},
          {R"("temperature":0,"tools":[{"function":{"type":"function"}}])", false, "side_effect"},
      },
      {});
}

// Such a field is dropped on the way, so the key would count something that was never sent.
TEST(Verdict, ConnectionMayNotNameAFieldThatMatters) {
  const std::string greedy = R"("temperature":0)";
  expect_rows({{greedy, false, "opted_out"}}, {},
              {"content-type: application/json", "connection: close, Content-Type"});
  expect_rows({{greedy, false, "opted_out"}}, {},
              {"authorization: Bearer a", "connection: authorization"});
  expect_rows({{greedy, true, "greedy"}}, {}, {"connection: keep-alive"});
  expect_rows({{greedy, true, "greedy"}}, {}, {"connection: user-agent", "user-agent: x"});
}

TEST(Verdict, RemoteContentNeverShares) {
  const auto reason = [](const std::string& content) {
    return examined(chat_head(),
                    R"({"temperature":0,"messages":[{"role":"user","content":)" + content + "}]}")
        .reason();
  };
  EXPECT_EQ(reason(R"("read https://example.com")"), "greedy");
  EXPECT_EQ(reason(R"("https://example.com")"), "greedy");
  EXPECT_EQ(reason(R"([{"type":"text","text":"https://example.com"}])"), "greedy");
  EXPECT_EQ(reason(R"([{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}])"),
            "greedy");
  EXPECT_EQ(reason(R"([{"type":"image_url","image_url":{"url":"https://e.com/a.png"}}])"),
            "remote_content");
  EXPECT_EQ(reason(R"([{"type":"image_url","image_url":{"url":"HTTP:\/\/e.com/a.png"}}])"),
            "remote_content");
  EXPECT_EQ(reason(R"([{"type":"image_url","image_url":"file:///etc/a.png"}])"), "remote_content");
  EXPECT_EQ(reason(R"([{"type":"image_url","image_url":{"\u0075rl":"s3://b/a.png"}}])"),
            "remote_content");
  EXPECT_EQ(reason(R"([{"type":"input_audio","input_audio":{"url":"https://e.com/a.wav"}}])"),
            "remote_content");
  EXPECT_EQ(reason(R"([{"type":"file","file":{"file_data":"https://e.com/a.pdf"}}])"),
            "remote_content");
  EXPECT_EQ(reason(R"([{"type":"file","file":{"file_id":"file-1"}}])"), "greedy");
  EXPECT_EQ(reason(R"(["http://plain",{"image_url":"https://a/b.png"}])"), "remote_content");
  EXPECT_EQ(reason(R"([{"":"http://plain"},{"image_url":"https://a/b.png"}])"), "remote_content");
}

// Whatever stands around it, and however its letters are written.
TEST(Verdict, NoRemoteReferenceHides) {
  SeededRandom random(7);
  const auto cased = [&](std::string text) {
    for (char& c : text) {
      if (c >= 'a' && c <= 'z' && random.below(2) == 0) c = static_cast<char>(c - 32);
    }
    return text;
  };
  static constexpr std::string_view kNoise[] = {R"("role":"user")",
                                                R"("content":"a: b:\"c\": http: \"url\":")",
                                                R"("text":"https://e.com")",
                                                R"("x":[1,{"y":":"}])",
                                                R"("\\":":")",
                                                R"("curl ":"u")"};
  static constexpr std::string_view kSchemes[] = {"http:", "https:", "file:"};
  const auto noise = [&] {
    std::string out;
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      out += "{" + std::string(kNoise[random.below(std::size(kNoise))]) + "},";
    }
    return out;
  };
  for (int i = 0; i < 2000; ++i) {
    const bool by_name = random.below(2) == 0;
    const std::string name = by_name ? cased("image_url") : "data";
    const std::string value = by_name ? "s3" : cased(std::string(kSchemes[random.below(3)])) + "x";
    const std::string filler(random.below(40), 'f');
    const auto reason = [&](const std::string& member) {
      return examined(chat_head(), R"({"temperature":0,"messages":[)" + noise() + "{" + member +
                                       "}," + noise() + "{}]}")
          .reason();
    };
    const std::string quoted = '"' + name + "\":";
    EXPECT_EQ(reason(quoted + '"' + value + filler + '"'), "remote_content") << quoted << value;
    EXPECT_EQ(reason(quoted + "[1,\"" + value + filler + "\"]"), "remote_content");
    EXPECT_EQ(reason(quoted + "\"data:" + filler + '"'), "greedy");
    EXPECT_EQ(reason("\"data\":\"" + filler + ' ' + value + '"'), "greedy");
  }
}

TEST(Verdict, CallersMayNarrow) {
  const std::string greedy = R"("temperature":0)";
  for (const char* field :
       {"x-slipstream-coalesce: off", "x-slipstream-coalesce: off; a=1", "cache-control: no-store",
        "cache-control: max-age=5, No-Cache", R"(cache-control: x="a,b", no-cache)",
        "cache-control: no-cache=\"f\"", "x-slipstream-coalesce: offf",
        "x-slipstream-coalesce: share; group=", R"(x-slipstream-coalesce: share; group="g)",
        "x-slipstream-coalesce: share, off"}) {
    expect_rows({{greedy, false, "opted_out"}}, {}, {field});
  }
  for (const char* field : {"cache-control: max-age=5", R"(cache-control: x="no-store")",
                            "cache-control: no-transform"}) {
    expect_rows({{greedy, true, "greedy"}}, {}, {field});
  }
  expect_rows({{greedy, false, "opted_out"}}, {},
              {"x-slipstream-coalesce: share; group=a", "x-slipstream-coalesce: share; group=a"});
}

TEST(Verdict, ReadsTheAgeTheCallerAccepts) {
  const auto age = [](const std::vector<std::string>& fields) {
    return examined(chat_head(fields), body_with("")).contract.max_age_s;
  };
  EXPECT_EQ(age({}), std::nullopt);
  EXPECT_EQ(age({"cache-control: max-age=0"}), 0u);
  EXPECT_EQ(age({"cache-control: max-age=30, max-age=\"20\"", "cache-control: max-age=25"}), 20u);
  EXPECT_EQ(age({"cache-control: max-age=99999999999999999999999"}), 4294967295u);
  EXPECT_EQ(age({"cache-control: max-age=-1, max-age, max-age=x, max-age="}), std::nullopt);
  // The bound is about joining; it does not split keys.
  EXPECT_EQ(examined(chat_head({"cache-control: max-age=1"}), body_with("")).key(),
            examined(chat_head(), body_with("")).key());
}

TEST(Verdict, HeadReasonsComeFirst) {
  const std::string greedy = R"("temperature":0)";
  Policy off;
  off.coalesce = false;
  expect_rows({{greedy, false, "disabled"}, {R"("store":true)", false, "disabled"}}, off);
  EXPECT_EQ(examined(head_of({"POST /v1/chat/completions HTTP/1.0"}), body_with(greedy)).reason(),
            "http10");
  expect_rows({{greedy, false, "side_effect"}}, {}, {"X-Conversation-Id: c"});
  const Examined encoded = examined(chat_head({"content-encoding: gzip"}), "\x1f\x8b not json");
  EXPECT_EQ(encoded.reason(), "encoded_body");
  EXPECT_EQ(encoded.contract.canonical_body, "");
  expect_rows({{greedy, true, "greedy"}}, {}, {"content-encoding: Identity"});
}

TEST(Verdict, BodiesThatAreNoObject) {
  EXPECT_EQ(examined(chat_head(), "[1]").reason(), "not_json");
  EXPECT_EQ(examined(chat_head(), "null").reason(), "not_json");
  EXPECT_EQ(examined(chat_head(), R"({"a":1,"a":2})").fault,
            "The request body is not acceptable JSON: duplicate member name at byte 7.");
  EXPECT_EQ(examined(chat_head(), "").fault,
            "The request body is not acceptable JSON: unexpected end at byte 0.");
}

TEST(Verdict, ProofsNameWhatDecided) {
  const auto proof = [](const std::string& members, const std::vector<std::string>& fields = {}) {
    return examined(chat_head(fields), body_with(members)).contract.verdict.proof.text();
  };
  EXPECT_EQ(proof(R"("store":true)").substr(0, 18), "The field `store` ");
  EXPECT_EQ(proof(R"("":1)"), "The field `` is outside the field table, so nothing can be proven.");
  EXPECT_EQ(proof("", {"x-slipstream-coalesce: share; group=g"}),
            "The caller gave up independent draws within the group `g`, which is part of the key.");
  EXPECT_EQ(proof("", {"cache-control: no-store"}),
            "The request runs alone: the caller sent cache-control: no-store.");
  // At most 64 bytes of a caller's word, and no half character.
  const std::string shown(63, 'x');
  EXPECT_NE(proof('"' + shown + "\xC3\xA9\":1").find("`" + shown + "`"), std::string::npos);
}

TEST(Contract, TellsModelAndStream) {
  EXPECT_EQ(examined(chat_head(), body_with("")).contract.model, "m");
  EXPECT_EQ(examined(chat_head(), R"({"model":"\u006d"})").contract.model, "");
  EXPECT_EQ(examined(chat_head(), R"({"model":1})").contract.model, "");
  EXPECT_FALSE(examined(chat_head(), body_with(R"("stream":false)")).contract.streamed);
  EXPECT_TRUE(examined(chat_head(), body_with(R"("stream":true)")).contract.streamed);
}

TEST(Contract, EveryReasonHasItsOwnName) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kReasonCount; ++i) names.push_back(to_string(static_cast<Reason>(i)));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_EQ(surface_of("POST", "/v1/chat/completions"), Surface::kChatCompletions);
  EXPECT_EQ(surface_of("GET", "/v1/chat/completions"), Surface::kPassThrough);
  EXPECT_EQ(surface_of("POST", "/v1/chat/completions/"), Surface::kPassThrough);
}

TEST(Contract, ForwardsWhatIsTheUpstreamsBusiness) {
  for (const char* name : {"authorization", "content-type", "user-agent", "x-anything", "cookie",
                           "cache-control", "idempotency-key", "traceparent"}) {
    EXPECT_TRUE(is_forwarded(name)) << name;
  }
  for (const char* name :
       {"connection", "te", "transfer-encoding", "upgrade", "host", "content-length", "expect",
        "accept-encoding", "x-request-id", "x-slipstream-coalesce", "x-slipstream-vary"}) {
    EXPECT_FALSE(is_forwarded(name)) << name;
  }
  const http::Head head = chat_head({"Connection: keep-alive, X-Mine", "X-Mine: 1", "X-Other: 1"});
  EXPECT_FALSE(is_forwarded(head, "x-mine"));
  EXPECT_TRUE(is_forwarded(head, "x-other"));
}

TEST(Contract, VisitsWhatIsForwardedInOrder) {
  for (const std::vector<std::string>& fields : std::vector<std::vector<std::string>>{
           {},
           {"x-a: 1", "x-slipstream-vary: v", "x-a: 2", "accept: b"},
           {"x-b: 1", "connection: X-A, close", "x-a: 1", "keep-alive: 5"},
           {"connection: close", "x-a: 1", "connection: x-a", "close: 1"}}) {
    const http::Head head = chat_head(fields);
    std::string visited, expected;
    for_each_forwarded(head, [&](const http::Head::Field& field) {
      visited += std::string(field.name) + "=" + std::string(field.value) + "\n";
    });
    for (std::size_t i = 0; i < head.field_count(); ++i) {
      const auto [name, value] = head.field(i);
      if (!is_forwarded(head, name)) continue;
      expected += std::string(name) + "=" + std::string(value) + "\n";
    }
    EXPECT_EQ(visited, expected);
  }
}

TEST(Explain, IsJsonAndNamesTheDecidingField) {
  const http::Head head = chat_head({"Authorization: Bearer secret-token", "X-A: 1",
                                     "cache-control: max-age=9", "user-agent: u"});
  const Examined seen =
      examined(head, R"({"model":"m","\"odd\\":"\u0000","messages":[],"stream":true})");
  const std::string text = explain_json(explain(head, seen.contract));
  json::Canonicalizer canonicalizer;
  std::string out;
  ASSERT_TRUE(canonicalizer.append(text, out).ok()) << text;
  const std::vector<std::string> parts = {R"("key":")" + seen.key().full_hex(),
                                          R"("reason":"unknown_field")",
                                          R"("keyed_headers":["x-a"])",
                                          R"("max_age_s":9)",
                                          R"("model":"m")",
                                          R"("streamed":true)",
                                          R"("shareable":false)"};
  for (const std::string& part : parts) {
    EXPECT_NE(out.find(part), std::string::npos) << part << "\n" << out;
  }
  EXPECT_EQ(text.find("secret-token"), std::string::npos);
}

}  // namespace
}  // namespace slipstream::contract
