#include <fstream>
#include <set>
#include <sstream>

#include "base/random.h"
#include "contract/contract.h"
#include "contract/contract_testing.h"
#include "contract/fields.h"
#include "json/escape.h"
#include "json/reader.h"

namespace slipstream::contract {
namespace {

const std::string kBody =
    R"({"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0})";

std::string text(std::string_view object, std::string_view name) {
  std::string scratch;
  return std::string(json::text_of(json::find(object, name), scratch).value_or(""));
}

// Written by testdata/make_key_vectors.py, an independent implementation of the format document.
// A difference means the format changed: then the version tag must change too.
TEST(Key, GoldenVectors) {
  std::ifstream file(SLIPSTREAM_KEY_VECTORS);
  std::stringstream all;
  all << file.rdbuf();
  const std::string document = all.str();
  int count = 0;
  for (json::Elements vectors(json::find(document, "vectors")); vectors.next(); ++count) {
    const std::string_view vector = vectors.value();
    Policy policy;
    policy.route = text(vector, "route");
    policy.pool = text(vector, "pool");
    policy.epoch = text(vector, "epoch");
    policy.profile = parse_profile(text(vector, "profile")).value_or(Profile::kGeneric);
    if (const std::string name = text(vector, "harmless_header"); !name.empty()) {
      policy.harmless_headers = {name};
    }
    std::vector<std::string> lines;
    std::string scratch;
    for (json::Elements head(json::find(vector, "head")); head.next();) {
      lines.emplace_back(*json::text_of(head.value(), scratch));
    }
    const Examined seen =
        examined(head_of(lines), text(vector, "body"), policy, text(vector, "secret"));
    EXPECT_EQ(seen.key().full_hex(), text(vector, "key")) << text(vector, "name") << seen.fault;
  }
  EXPECT_GE(count, 200);
}

// Adds one field to a request of the surface.
Examined with_field(Surface surface, const std::string& name, const std::string& value,
                    const Policy& policy = {}) {
  const bool form = row_of(surface).body == BodyKind::kMultipart;
  const http::Head head =
      post_head(path_of(surface), {form ? std::string(kFormType) : "content-type: a"});
  if (name.empty()) return examined(head, form ? form_of({{"x", "x"}}) : "{}", policy);
  if (form) return examined(head, form_of({{"x", "x"}, {name, value}}), policy);
  return examined(head, "{\"" + name + "\":" + value + "}", policy);
}

// For every field of every table, and every kind of server: it changes the key, or the row says
// that this server ignores it.
TEST(Key, EveryFieldOfEveryTableChangesItOrIsIgnored) {
  std::size_t ignored = 0;
  for (const SurfaceRow& surface : surfaces()) {
    for (const FieldRow& row : fields_of(surface.surface).rows()) {
      for (std::size_t i = 0; i < kProfileNames.size(); ++i) {
        Policy policy;
        policy.profile = static_cast<Profile>(i);
        const bool counts = !row.ignored.contains(policy.profile);
        ignored += counts ? 0 : 1;
        if (counts && i > 0 && row.ignored.empty()) continue;  // as for a generic server
        const std::size_t values = 5;
        std::set<std::string> keys = {with_field(surface.surface, "", "", policy).key().full_hex()};
        for (const char* value : {"null", "1", "2", "\"1\"", "[1]"}) {
          const Examined seen = with_field(surface.surface, std::string(row.name), value, policy);
          EXPECT_EQ(seen.fault, "") << row.name;
          keys.insert(seen.key().full_hex());
        }
        EXPECT_EQ(keys.size(), counts ? values + 1 : 1)
            << surface.name << ' ' << row.name << ' ' << kProfileNames[i];
      }
    }
  }
  EXPECT_GE(fields_of(Surface::kChatCompletions).rows().size(), 150u);
  EXPECT_GT(ignored, 10u);
}

// LiteLLM issue 9844: a key that lists known fields lets requests share that differ elsewhere.
TEST(Key, H13_UnlistedFieldsKeepRequestsApart) {
  const auto body = [](const std::string& member) {
    return R"({"model":"m","messages":[],"temperature":0,)" + member + "}";
  };
  const auto differ = [&](const std::string& a, const std::string& b) {
    const Examined first = examined(chat_head(), body(a));
    const Examined second = examined(chat_head(), body(b));
    EXPECT_NE(first.key(), second.key()) << a << b;
    EXPECT_NE(first.contract.canonical, second.contract.canonical);
  };
  differ(R"("reasoning_effort":"low")", R"("reasoning_effort":"high")");
  differ(R"("x_foo":"low")", R"("x_foo":"high")");
  differ(R"("x_foo":{"a":1,"b":2})", R"("x_foo":{"b":2,"a":1})");
  for (const FieldRow& row : fields_of(Surface::kChatCompletions).rows()) {
    if (row.name == "model" || row.name == "messages" || row.name == "temperature") continue;
    const std::string name = "\"" + std::string(row.name) + "\":";
    differ(name + R"("low")", name + R"("high")");
  }
}

// wso2 api-platform issue 733: entries scoped by API only show one user's answers to another.
TEST(Key, H14_TenantsNeverMeet) {
  const auto with = [](const std::vector<std::string>& fields) {
    return examined(chat_head(fields), kBody);
  };
  std::set<std::string> keys;
  const std::vector<std::vector<std::string>> tenants = {
      {},
      {"Authorization: Bearer t1"},
      {"Authorization: Bearer t2"},
      {"Authorization: bearer t1"},
      {"api-key: Bearer t1"},
      {"x-api-key: Bearer t1"},
      {"Authorization: Bearer t1", "OpenAI-Organization: o1"},
      {"Authorization: Bearer t1", "OpenAI-Organization: o2"},
      {"Authorization: Bearer t1", "OpenAI-Project: o1"},
      {"Authorization: Bearer t1", "Authorization: Bearer t2"},
      {"Cookie: session=1"},
  };
  for (const auto& tenant : tenants) {
    const Examined seen = with(tenant);
    keys.insert(seen.key().full_hex());
    EXPECT_EQ(seen.contract.canonical.find("Bearer"), std::string_view::npos);
  }
  EXPECT_EQ(keys.size(), tenants.size());
  EXPECT_EQ(with(tenants[1]).key(), with(tenants[1]).key());
  // The hash is keyed: another installation's scope for the same credential says nothing here.
  EXPECT_NE(examined(chat_head(tenants[1]), kBody, {}, "a").key(),
            examined(chat_head(tenants[1]), kBody, {}, "b").key());
}

TEST(Key, ARememberedScopeIsTheSameScope) {
  Examiner examiner("secret");
  ScopeMemo memo;
  const std::string long_token(4000, 'x');
  const std::vector<std::vector<std::string>> turns = {
      {"Authorization: Bearer t1"},
      {"Authorization: Bearer t1"},
      {"Authorization: Bearer t2"},
      {"Authorization: Bearer t1", "OpenAI-Project: p"},
      {"OpenAI-Project: p", "Authorization: Bearer t1"},
      {"api-key: Bearer t1"},
      {},
      {"api-key: Bearer t1"},
      {"Authorization: " + long_token},
      {"Authorization: " + long_token + "y"},
      {"Authorization: " + long_token},
      {"X-Api-Key: "},
  };
  for (const auto& fields : turns) {
    const http::Head head = chat_head(fields);
    EXPECT_EQ(examiner.scope_of(head, memo), examiner.scope_of(head));
  }
  EXPECT_LT(memo.credentials.capacity(), long_token.size());
}

// One Examiner reads every head of a worker: nothing of one request may reach the next one's key.
TEST(Key, AnExaminerKeepsNothingOfTheRequestBefore) {
  Examiner examiner("secret");
  const std::vector<std::vector<std::string>> heads = {
      {},
      {"x-slipstream-coalesce: share; group=g", "x-slipstream-vary: a", "x-b: 1", "x-a: 1"},
      {"cache-control: no-store, max-age=3", "x-a: 1"},
      {"x-conversation-id: c"},
      {"content-encoding: gzip"},
      {"x-slipstream-coalesce: off"},
      {"x-a: 2", "content-type: a", "x-a: 1", "accept: b"},
      {"connection: close, x-a", "x-a: 1"},
  };
  for (const auto& before : heads) {
    for (const auto& fields : heads) {
      const http::Head head = chat_head(fields);
      const http::Head first = chat_head(before);
      ASSERT_TRUE(examiner.examine(Surface::kChatCompletions, first, kBody, {}, {}).ok());
      const auto used = examiner.examine(Surface::kChatCompletions, head, kBody, {}, {});
      Examiner fresh("secret");
      const auto expected = fresh.examine(Surface::kChatCompletions, head, kBody, {}, {});
      ASSERT_TRUE(used.ok() && expected.ok());
      EXPECT_EQ(used->key, expected->key);
      EXPECT_EQ(used->canonical, expected->canonical);
      EXPECT_EQ(used->verdict.reason, expected->verdict.reason);
      EXPECT_EQ(used->verdict.proof.text(), expected->verdict.proof.text());
      EXPECT_EQ(used->max_age_s, expected->max_age_s);
    }
  }
}

TEST(Key, HeadersCountUnlessKnownNotToMatter) {
  const Key plain = examined(chat_head(), kBody).key();
  for (const char* field :
       {"user-agent: x", "x-stainless-lang: js", "accept-language: de", "accept-encoding: gzip",
        "sec-fetch-mode: cors", "traceparent: 00-1", "tracestate: a=b", "x-request-id: 1",
        "x-client-request-id: 1", "priority: u=3", "connection: close", "keep-alive: 5"}) {
    EXPECT_EQ(examined(chat_head({field}), kBody).key(), plain) << field;
  }
  for (const char* field : {"content-type: application/json", "idempotency-key: 1",
                            "openai-beta: a", "anthropic-version: 1", "x-vllm-priority: 1",
                            "x-anything: 1", "x-slipstream-vary: a", "accept: a", "cookie: a"}) {
    EXPECT_NE(examined(chat_head({field}), kBody).key(), plain) << field;
  }
  // Lengths stand before parts: moving a byte over a boundary is a different request.
  EXPECT_NE(examined(chat_head({"x-a: bc"}), kBody).key(),
            examined(chat_head({"x-ab: c"}), kBody).key());
  EXPECT_NE(examined(chat_head({"x-a: 1", "x-a: 2"}), kBody).key(),
            examined(chat_head({"x-a: 1, 2"}), kBody).key());
}

TEST(Key, ShortFormIsItsBeginning) {
  const Key key = examined(chat_head(), kBody).key();
  EXPECT_EQ(key.short_hex().size(), 12u);
  EXPECT_TRUE(key.full_hex().starts_with(key.short_hex()));
}

// Random JSON bodies with two spellings each: whatever the canonical form must not see is drawn
// anew for every spelling, everything else comes from the plan.
struct Value {
  enum class Kind { kText, kNumber, kLiteral, kArray, kObject } kind = Kind::kLiteral;
  std::string text;
  std::string name;  // as a member
  std::vector<Value> children;
};

Value plan(Random& random, int depth) {
  Value value;
  const std::uint64_t kinds = depth > 3 ? 3 : 5;
  value.kind = static_cast<Value::Kind>(random.below(kinds));
  static constexpr std::string_view kAlphabet[] = {"a",  "\"", "\\",   "\n", "é",
                                                   "😀", "/",  "\x01", " "};
  switch (value.kind) {
    case Value::Kind::kText:
      for (std::uint64_t i = random.below(30); i > 0; --i) {
        value.text += kAlphabet[random.below(std::size(kAlphabet))];
      }
      break;
    case Value::Kind::kNumber:
      value.text = std::to_string(random.below(1000)) + (random.below(2) ? ".5" : "");
      break;
    case Value::Kind::kLiteral:
      value.text = random.below(2) ? "true" : "null";
      break;
    default:
      for (std::uint64_t i = random.below(4); i > 0; --i) {
        value.children.push_back(plan(random, depth + 1));
        value.children.back().name = "k" + std::to_string(i);
      }
  }
  return value;
}

std::string space(Random& random) {
  return std::string(random.below(3), " \t\r\n"[random.below(4)]);
}

std::string spell_text(std::string_view plain, Random& random) {
  std::string out = "\"";
  for (const char c : plain) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || (byte < 0x80 && random.below(5) == 0)) {
      char escape[8];
      std::snprintf(escape, sizeof escape, random.below(2) ? "\\u%04x" : "\\u%04X", byte);
      out += escape;
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

std::string spell(const Value& value, Random& random, int depth) {
  if (value.kind == Value::Kind::kText) return spell_text(value.text, random);
  if (value.kind != Value::Kind::kArray && value.kind != Value::Kind::kObject) return value.text;
  const bool object = value.kind == Value::Kind::kObject;
  auto children = value.children;
  if (depth == 0) {
    for (std::size_t i = children.size(); i > 1; --i) {
      std::swap(children[i - 1], children[random.below(i)]);
    }
  }
  std::string out(1, object ? '{' : '[');
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (i > 0) out += ',';
    out += space(random);
    if (object) out += spell_text(children[i].name, random) + space(random) + ":" + space(random);
    out += spell(children[i], random, depth + 1) + space(random);
  }
  return out + (object ? '}' : ']');
}

// Changes one thing somewhere below `value`.
void mutate(Value& value, Random& random) {
  if (!value.children.empty() && random.below(3) != 0) {
    mutate(value.children[random.below(value.children.size())], random);
    return;
  }
  switch (value.kind) {
    case Value::Kind::kText:
      value.text += "x";
      break;
    case Value::Kind::kNumber:
      value.text = "9" + value.text;
      break;
    case Value::Kind::kLiteral:
      value.text = value.text == "true" ? "false" : "true";
      break;
    default:
      value.children.emplace_back();
      value.children.back().name = "new";
      value.children.back().text = "null";
  }
}

TEST(KeyProperty, OnlySpellingIsInvisible) {
  Examiner examiner("secret");
  const http::Head head = chat_head();
  const auto key = [&](const std::string& body) {
    const auto contract = examiner.examine(Surface::kChatCompletions, head, body, {}, {});
    EXPECT_TRUE(contract.ok()) << body << contract.error().message;
    return contract ? contract->key : Key{};
  };
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SeededRandom random(seed);
    Value body;
    body.kind = Value::Kind::kObject;
    for (int i = 0; i < 5; ++i) {
      body.children.push_back(plan(random, 1));
      body.children.back().name = "t" + std::to_string(i);
    }
    const Key first = key(spell(body, random, 0));
    EXPECT_EQ(first, key(spell(body, random, 0))) << "seed " << seed;
    mutate(body, random);
    EXPECT_NE(first, key(spell(body, random, 0))) << "seed " << seed;
  }
}

}  // namespace
}  // namespace slipstream::contract
