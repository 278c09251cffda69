// Requests drawn at random from a small world, so that equal ones are frequent: two have one key
// exactly if they ask the same upstream, for the same tenant, in the same epoch, for the same
// thing.
#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"
#include "contract/contract_testing.h"
#include "contract/fields.h"

namespace slipstream::contract {
namespace {

struct Drawn {
  std::string meaning;  // what must be equal
  std::string key;
  std::string canonical_body;
  bool shareable = false;
};

struct Spelled {
  std::string canonical;
  std::vector<std::string> spellings;
};
const std::vector<Spelled> kNames = {{"model", {"\"model\"", "\"\\u006dodel\""}},
                                     {"temperature", {"\"temperature\"", "\"temp\\u0065rature\""}},
                                     {"stream", {"\"stream\""}},
                                     {"user", {"\"user\"", "\"us\\u0065r\""}},
                                     {"store", {"\"store\""}},
                                     {"metadata", {"\"metadata\""}},
                                     {"seed", {"\"seed\""}},
                                     {"top_k", {"\"top_k\""}},
                                     {"input", {"\"input\""}},
                                     {"messages", {"\"messages\""}},
                                     {"options", {"\"options\""}},
                                     {"x_new", {"\"x_new\""}}};
const std::vector<Spelled> kValues = {
    {"0", {"0", "0.0", "0e0"}},
    {"7e-1", {"0.7", "7e-1", "0.70"}},
    {"1", {"1", "1.0", "1e0"}},
    {"\"é/\"", {"\"é/\"", "\"\\u00e9\\/\"", "\"\\u00E9/\""}},
    {"false", {"false"}},
    {"null", {"null"}},
    {R"([{"role":"user","content":"a"}])",
     {R"([{"role":"user","content":"a"}])", R"([ {"role" : "user","content":"\u0061"} ])"}},
    {R"({"temperature":0,"seed":1})",
     {R"({"temperature":0,"seed":1})", R"({ "temperature":0 ,"seed":1})"}},
    {R"({"seed":1,"temperature":0})", {R"({"seed":1,"temperature":0})"}}};

template <typename T>
const T& one_of(const std::vector<T>& choices, Random& random) {
  return choices[random.below(choices.size())];
}

std::string draw_body(Surface surface, const Policy& policy, Random& random, std::string& meaning) {
  std::map<std::string, const Spelled*> members;
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    members[one_of(kNames, random).canonical] = &one_of(kValues, random);
  }
  std::vector<std::string> parts;
  for (const auto& [name, value] : members) {
    const FieldRow* const row = fields_of(surface).find(name);
    if (row == nullptr || !row->ignored.contains(policy.profile)) {
      meaning += name + ":" + value->canonical + "\n";
    }
    const auto spelled = [&name](const Spelled& candidate) { return candidate.canonical == name; };
    const auto at = std::ranges::find_if(kNames, spelled);
    parts.push_back(one_of(at->spellings, random) + (random.below(2) ? ": " : ":") +
                    one_of(value->spellings, random));
  }
  for (std::size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[random.below(i)]);
  std::string body = "{";
  for (const std::string& part : parts) body += (body.size() > 1 ? ",\n" : "") + part;
  return body + "}";
}

Drawn draw(Examiner& examiner, Random& random) {
  const Surface surface = surfaces()[1 + random.below(kSurfaceCount - 2)].surface;  // no form
  Policy policy;
  policy.profile = static_cast<Profile>(random.below(kProfileNames.size()));
  policy.epoch = random.below(4) == 0 ? "later" : "now";
  const bool hop_counts = policy.profile <= Profile::kAnthropic;

  std::vector<std::string> fields;
  std::string meaning = path_of(surface) + "\n" + policy.epoch + "\n";
  const auto maybe = [&](const std::string& field) {
    if (random.below(4) != 0) return std::string();
    fields.push_back(field);
    return field + "\n";
  };
  meaning += maybe("authorization: Bearer a");
  const std::string hop = maybe("x-forwarded-for: a");
  if (hop_counts) meaning += hop;
  maybe("user-agent: a");  // means nothing
  meaning += maybe("x-slipstream-vary: a");
  meaning += maybe("x-other: a");

  const http::Head head = post_head(path_of(surface), fields);
  const std::string body = draw_body(surface, policy, random, meaning);
  const auto contract = examiner.examine(surface, head, body, examiner.scope_of(head), policy);
  EXPECT_TRUE(contract.ok()) << body;
  return {meaning, contract->key.full_hex(), std::string(contract->canonical_body),
          contract->verdict.shareable};
}

TEST(Property, OneKeyExactlyForOneMeaning) {
  Examiner examiner("secret");
  SeededRandom random(1);
  std::map<std::string, std::string> meanings;  // by key
  std::map<std::string, std::string> keys;      // by meaning
  std::map<std::string, std::string> bodies;    // by key
  int met = 0;
  int met_shareable = 0;
  for (int i = 0; i < 60000; ++i) {
    const Drawn drawn = draw(examiner, random);
    const auto meaning = meanings.emplace(drawn.key, drawn.meaning);
    ASSERT_EQ(meaning.first->second, drawn.meaning);
    ASSERT_EQ(keys.emplace(drawn.meaning, drawn.key).first->second, drawn.key) << drawn.meaning;
    ASSERT_EQ(bodies.emplace(drawn.key, drawn.canonical_body).first->second, drawn.canonical_body);
    met += meaning.second ? 0 : 1;
    met_shareable += !meaning.second && drawn.shareable ? 1 : 0;
  }
  EXPECT_GT(met, 5000);
  EXPECT_GT(met_shareable, 500);
}

}  // namespace
}  // namespace slipstream::contract
