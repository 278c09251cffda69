// What is said of one request and of two: the first difference in words, and why equal ones share.
#include "contract/explain.h"

#include <gtest/gtest.h>

#include "contract/contract_testing.h"
#include "contract/difference.h"
#include "json/canonical.h"

namespace slipstream::contract {
namespace {

constexpr const char* kGreedy = R"({"model":"m","temperature":0,"messages":[]})";

Explanation one(const std::string& body, std::vector<std::string> fields = {},
                const Policy& policy = {}) {
  const http::Head head = chat_head(std::move(fields));
  const Examined examined = contract::examined(head, body, policy);
  EXPECT_EQ(examined.fault, "");
  return explain(head, examined.contract);
}

std::string why(const Explanation& a, const Explanation& b) {
  const Comparison comparison = compare(a, b);
  EXPECT_FALSE(comparison.share);
  return comparison.why;
}

struct Pair {
  const char* a;
  const char* b;
  const char* difference;
};

TEST(Difference, OfBodiesInWords) {
  const Pair pairs[] = {
      {R"({"temperature":0})", R"({})", "`temperature` is 0 in A and absent in B"},
      {R"({})", R"({"temperature":0})", "`temperature` is absent in A and 0 in B"},
      {R"({"a":1})", R"({"b":1})", "`a` is 1 in A and absent in B"},
      {R"({"b":1,"c":2})", R"({"a":1,"b":1,"c":2})", "`a` is absent in A and 1 in B"},
      {R"({"stop":null})", R"({"stop":["x"]})", "`stop` is null in A and an array in B"},
      {R"({"stream":true})", R"({"stream":false})", "`stream` is true in A and false in B"},
      {R"({"model":"m"})", R"({"model":"n"})", R"(`model` is "m" in A and "n" in B)"},
      {R"({"messages":[{"content":"good morning"}]})",
       R"({"messages":[{"content":"good evening"}]})", "`messages[0].content` differs at byte 5"},
      {R"({"messages":[{"content":"a\n\u00fcber"}]})",
       R"({"messages":[{"content":"a\n\u00fcbel"}]})", "`messages[0].content` differs at byte 6"},
      {R"({"messages":[{"content":"same"}]})", R"({"messages":[{"content":"same."}]})",
       "`messages[0].content` differs at byte 4"},
      {R"({"messages":[{"content":"secret"}]})", R"({"messages":[{"content":["secret"]}]})",
       "`messages[0].content` is a string in A and an array in B"},
      {R"({"messages":[1]})", R"({"messages":[1,2]})", "`messages[1]` is only in B"},
      {R"({"messages":[1,2]})", R"({"messages":[1]})", "`messages[1]` is only in A"},
      {R"({"messages":[{"seed":1}]})", R"({"messages":[{"seed":1.0}]})",
       "`messages[0].seed` is 1 in A and 1.0 in B: the same number written differently, and below "
       "the top level that may reach the prompt"},
      {R"({"tools":[{"function":{"parameters":{"a":1,"b":2}}}]})",
       R"({"tools":[{"function":{"parameters":{"b":2,"a":1}}}]})",
       "member order differs inside `tools[0].function.parameters`, and order reaches the prompt"},
      {R"({"x":{"a.b":{"c d":1}}})", R"({"x":{"a.b":{"c d":2}}})",
       R"(`x["a.b"]["c d"]` is 1 in A and 2 in B)"},
      {R"([1])", R"({})", "the body is an array in A and an object in B"},
  };
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.difference);
    json::Canonicalizer canonicalizer;
    std::string a;
    std::string b;
    ASSERT_TRUE(canonicalizer.append(pair.a, a).ok());
    ASSERT_TRUE(canonicalizer.append(pair.b, b).ok());
    EXPECT_EQ(first_body_difference(a, b), pair.difference);
    EXPECT_EQ(first_body_difference(a, a), "");
  }
}

TEST(Difference, IsFoundExactlyWhereThereIsOne) {
  const char* bodies[] = {
      R"({})",          R"({"a":{}})",       R"({"a":[]})",    R"({"a":[{}]})",
      R"({"a":[[]]})",  R"({"a":""})",       R"({"a":"\\"})",  R"({"a":"\""})",
      R"({"a":"}"})",   R"({"a":null})",     R"({"a":1})",     R"({"a":10})",
      R"({"a":[1]})",   R"({"a":[10]})",     R"({"a":[1e1]})", R"({"a":{"b":1}})",
      R"({"a":["1"]})", R"({"a":{"\"":1}})", R"([])",          R"("a")"};
  for (const char* first : bodies) {
    for (const char* second : bodies) {
      SCOPED_TRACE(std::string(first) + " " + second);
      json::Canonicalizer canonicalizer;
      std::string a;
      std::string b;
      ASSERT_TRUE(canonicalizer.append(first, a).ok());
      ASSERT_TRUE(canonicalizer.append(second, b).ok());
      EXPECT_EQ(first_body_difference(a, b).empty(), a == b);
    }
  }
}

TEST(Difference, OfWhatStandsAroundTheBody) {
  const Explanation plain = one(kGreedy);
  EXPECT_EQ(why(plain, one(kGreedy, {"anthropic-beta: x"})),
            "header `anthropic-beta` is only in B.");
  EXPECT_EQ(why(one(kGreedy, {"accept: a", "b: x"}), one(kGreedy, {"b: x"})),
            "header `accept` is only in A.");
  EXPECT_EQ(why(one(kGreedy, {"cookie: user=1"}), one(kGreedy, {"cookie: user=2"})),
            "header `cookie` differs at byte 5.");
  EXPECT_EQ(why(one(kGreedy, {"x-slipstream-vary: 1"}), one(kGreedy, {"x-slipstream-vary: 2"})),
            "header `x-slipstream-vary` differs at byte 0.");
  EXPECT_EQ(why(plain, one(kGreedy, {"authorization: Bearer hidden"})),
            "the credential is not the same.");
  Policy other;
  other.epoch = "e2";
  EXPECT_EQ(why(plain, one(kGreedy, {}, other)), "the epoch is absent in A and `e2` in B.");
  EXPECT_EQ(why(plain, one(kGreedy, {"x-slipstream-coalesce: share; group=g"})),
            "the group of `x-slipstream-coalesce` is not the same.");
  EXPECT_EQ(why(one(kGreedy, {"content-encoding: gzip"}), one("{}", {"content-encoding: gzip"})),
            "the body differs at byte 1.");
}

TEST(Compare, EqualKeysShareOnlyIfBothMay) {
  const Explanation plain = one(kGreedy);
  const Comparison same = compare(
      plain,
      one(R"({ "messages": [], "temperature": 0.0, "model": "\u006d" })", {"user-agent: other"}));
  EXPECT_TRUE(same.share);
  EXPECT_TRUE(same.why.starts_with("the keys are equal, and `temperature` is explicitly 0"));

  EXPECT_EQ(why(plain, one(kGreedy, {"cache-control: no-store"})),
            "the keys are equal, but B runs alone (opted_out): the request runs alone: the caller "
            "sent cache-control: no-store.");
  EXPECT_TRUE(why(one(kGreedy, {"cache-control: no-cache"}), plain).find("but A runs alone") !=
              std::string::npos);
  const Explanation sampled = one(R"({"model":"m","messages":[]})");
  EXPECT_EQ(why(sampled, sampled),
            "the keys are equal, but each runs alone (sampled): `temperature` is absent, which "
            "means sampled, so callers expect independent answers.");
}

TEST(Compare, APathWithoutContractSharesNothing) {
  const Explanation passing = explain_pass_through(head_of({"POST /v1/nothing HTTP/1.1"}));
  EXPECT_FALSE(passing.shareable);
  EXPECT_EQ(passing.reason, "surface");
  EXPECT_EQ(why(passing, passing), passing.proof);
  EXPECT_NE(explain_json(passing).find("\"key\": null"), std::string::npos);
  EXPECT_NE(explain_text(passing).find("key        none\n"), std::string::npos);
}

TEST(Explain, TextNamesWhatDecidesAndNoPrompt) {
  const std::string text = explain_text(
      one(R"({"model":"m","stream":true,"temperature":0,"messages":["private"]})",
          {"authorization: Bearer hidden", "accept: */*", "cache-control: max-age=5"}));
  for (const char* line : {"shareable  yes\n", "reason     greedy\n", "model      m\n",
                           "(chat_completions, streamed)\n", "in the key: accept\n",
                           "joins only what runs for at most 5 s\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(text.find("private"), std::string::npos);
  EXPECT_EQ(text.find("hidden"), std::string::npos);
}

TEST(Explain, JsonIsJson) {
  const Explanation a = one(kGreedy);
  const Explanation b =
      one(R"({"model":"\"","messages":["\u00fc"]})", {"cache-control: max-age=5"});
  for (const std::string& text : {explain_json(a), explain_json(b), compare_json(a, b)}) {
    json::Canonicalizer canonicalizer;
    std::string canonical;
    EXPECT_TRUE(canonicalizer.append(text, canonical).ok()) << text;
  }
  EXPECT_NE(explain_json(a).find("\"canonical\": {\"messages\":[]"), std::string::npos);
}

TEST(ExplainFields, AreOneStructuredStringOfAscii) {
  EXPECT_EQ(explain_fields(Key{}, {"The field ", "a\"b\\c\xc3\xbc\r\n", " is unknown."}),
            "x-slipstream-key: 000000000000\r\n"
            "x-slipstream-proof: \"The field `a\\\"b\\\\c????` is unknown.\"\r\n");
  const std::string quotes(400, '"');
  const std::string fields = explain_fields(Key{}, {quotes});
  const std::string value = fields.substr(fields.rfind(": ") + 2);
  EXPECT_EQ(value.size() - 2, 256U) << "with its quotes";
  EXPECT_TRUE(value.ends_with("\\\"\"\r\n"));
}

TEST(ExplainFields, AreAskedForByOneWord) {
  const auto asks = [](const char* field) {
    return contract::examined(chat_head({field}), kGreedy).contract.explain;
  };
  EXPECT_TRUE(asks("x-slipstream-explain: 1"));
  EXPECT_FALSE(asks("x-slipstream-explain: 0"));
  EXPECT_FALSE(asks("x-slipstream-other: 1"));
  EXPECT_EQ(one(kGreedy).key, one(kGreedy, {"x-slipstream-explain: 1"}).key) << "it is not keyed";
}

}  // namespace
}  // namespace slipstream::contract
