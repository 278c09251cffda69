// What answers as each server gives them become, and what must and must not change an epoch.
#include "identity/identity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "identity/inspection.h"
#include "identity/model_changes.h"

namespace slipstream::identity {
namespace {

using Answers = std::map<std::string, std::string>;  // by "GET /path"; what is missing is a 404

const Answers kVllm = {
    {"GET /version", R"({"version":"0.11.0"})"},
    {"GET /v1/models",
     R"({"object":"list","data":[{"id":"m","object":"model","created":1770000001,"owned_by":"vllm",)"
     R"("root":"/models/m","parent":null,"max_model_len":8192}]})"}};
const Answers kSglang = {
    {"GET /v1/models", R"({"data":[{"id":"m","created":1,"owned_by":"sglang","root":"m"}]})"},
    {"GET /server_info",
     R"({"model_path":"org/m","tokenizer_path":"org/m","port":30000,"random_seed":7,"tp_size":2,)"
     R"("version":"0.5.4","internal_states":[{"last_gen_throughput":12.5}]})"},
    {"GET /model_info", R"({"model_path":"org/m","weight_version":"default"})"}};
const Answers kLlamaCpp = {
    {"GET /props",
     R"({"default_generation_settings":{"n_ctx":4096,"params":{"seed":4294967295,"temperature":0.8}},)"
     R"("total_slots":4,"model_path":"/models/a.gguf","chat_template":"{{ messages }}",)"
     R"("media_marker":"<x1>","build_info":"b6700-abc"})"},
    {"GET /v1/models",
     R"({"data":[{"id":"a.gguf","created":5,"owned_by":"llamacpp","meta":{"n_params":10,"size":20}}]})"},
    {"GET /lora-adapters", "[]"}};
const Answers kOllama = {
    {"GET /api/version", R"({"version":"0.13.0"})"},
    {"GET /v1/models", R"({"data":[{"id":"a:latest","created":5,"owned_by":"library"}]})"},
    {"GET /api/tags", R"({"models":[{"name":"a:latest","modified_at":"x","size":5,"digest":"d1",)"
                      R"("details":{"family":"llama","quantization_level":"Q4_0"}}]})"},
    {"POST /api/show", R"({"template":"{{ .Prompt }}","parameters":"temperature 0.6"})"}};
const Answers kTgi = {{"GET /info",
                       R"({"model_id":"org/m","model_sha":"abc","max_total_tokens":4096,)"
                       R"("version":"3.3.0","sha":"f00","docker_label":"sha-f00"})"}};
const Answers kLmStudio = {
    {"GET /api/v1/models",
     R"({"models":[{"key":"m","quantization":{"name":"Q4"},"size_bytes":9,"loaded_instances":[]}]})"}};

Inspection look(const Answers& answers, Inspection::Setup setup = {}) {
  Inspection inspection(std::move(setup));
  while (const Probe* probe = inspection.next()) {
    const auto found = answers.find(std::string(probe->method) + " " + probe->path);
    found == answers.end() ? inspection.answer(404, "not here")
                           : inspection.answer(200, found->second);
  }
  return inspection;
}
Identity identity_of(const Answers& answers, Inspection::Setup setup = {}) {
  const Inspection inspection = look(answers, std::move(setup));
  EXPECT_TRUE(inspection.conclusive());
  return inspection.identity();
}
std::string epoch(const Answers& answers, Inspection::Setup setup = {}) {
  return epoch_of(identity_of(answers, std::move(setup)), "2026-03-01");
}
Answers with(Answers answers, const std::string& request, std::string_view from,
             std::string_view to) {
  std::string& text = answers.at(request);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return answers;
}
std::string value_of(const Identity& identity, FactName name) {
  for (const Fact& fact : identity.facts) {
    if (fact.name == name) return fact.value;
  }
  return "";
}

TEST(Inspection, RecognisesEachServerByWhatItAnswers) {
  EXPECT_EQ(identity_of(kVllm).profile, Profile::kVllm);
  EXPECT_EQ(identity_of(kSglang).profile, Profile::kSglang);
  EXPECT_EQ(identity_of(kLlamaCpp).profile, Profile::kLlamaCpp);
  EXPECT_EQ(identity_of(kOllama).profile, Profile::kOllama);
  EXPECT_EQ(identity_of(kTgi).profile, Profile::kTgi);
  EXPECT_EQ(identity_of(kLmStudio).profile, Profile::kLmStudio);
  EXPECT_EQ(identity_of({}).profile, Profile::kGeneric);
}

TEST(Inspection, DoesNotNeedASignedModelList) {
  for (const auto& [answers, profile] :
       {std::pair(kSglang, Profile::kSglang), std::pair(kLlamaCpp, Profile::kLlamaCpp)}) {
    Answers unsigned_list = answers;
    unsigned_list.erase("GET /v1/models");
    EXPECT_EQ(identity_of(unsigned_list).profile, profile);
  }
}

TEST(Inspection, AsksHostedProvidersNothing) {
  for (const char* host : {"api.openai.com", "API.Anthropic.com", "x.openai.azure.com"}) {
    const Inspection inspection(Inspection::Setup{.host = host});
    EXPECT_EQ(inspection.next(), nullptr) << host;
    EXPECT_NE(inspection.identity().profile, Profile::kGeneric);
  }
  EXPECT_NE(Inspection(Inspection::Setup{.host = "openai.azure.com.evil"}).next(), nullptr);
}

TEST(Inspection, AsksAConfiguredProfileOnlyItsOwnQuestions) {
  const Inspection inspection = look(kTgi, {.profile = Profile::kTgi});
  ASSERT_EQ(inspection.asked().size(), 1U);
  EXPECT_EQ(inspection.asked()[0].request, "GET /info");
  EXPECT_EQ(inspection.asked()[0].status, 200);
}

TEST(Inspection, FallsBackToTheOtherName) {
  const Inspection inspection = look(kSglang, {.profile = Profile::kSglang});
  EXPECT_EQ(inspection.asked()[0].request, "GET /get_server_info");
  EXPECT_EQ(inspection.asked()[1].request, "GET /server_info");
  EXPECT_EQ(value_of(inspection.identity(), FactName::kBuild), "0.5.4");
}

TEST(Inspection, HalfALookIsNone) {
  for (const int status : {408, 429, 502, 503, 504}) {
    Inspection inspection(Inspection::Setup{.profile = Profile::kVllm});
    inspection.answer(200, R"({"version":"1"})");
    inspection.answer(status, "loading");
    EXPECT_EQ(inspection.next(), nullptr);
    EXPECT_FALSE(inspection.conclusive()) << status;
  }
  Inspection silent(Inspection::Setup{});
  silent.unanswered();
  EXPECT_EQ(silent.next(), nullptr);
  EXPECT_FALSE(silent.conclusive());
  EXPECT_EQ(silent.asked()[0].status, 0);
}

TEST(Inspection, AnswersThatAreNoJsonSayNothing) {
  for (const char* body : {"", "<html>", "[1,2]", R"({"version":)", R"({"version":null})", "{}"}) {
    const Identity identity = identity_of({{"GET /version", body}, {"GET /v1/models", body}},
                                          {.profile = Profile::kVllm});
    EXPECT_TRUE(identity.facts.empty()) << body;
  }
}

TEST(Inspection, ShowsAreBounded) {
  Answers many = kOllama;
  std::string list;
  for (int i = 0; i < 50; ++i) {
    list += (i ? "," : "") + (R"({"name":"m)" + std::to_string(i) + R"(","digest":"d"})");
  }
  many["GET /api/tags"] = R"({"models":[)" + list + "]}";
  const Inspection inspection = look(many, {.profile = Profile::kOllama});
  EXPECT_EQ(std::ranges::count(inspection.asked(), "POST /api/show", &Inspection::Asked::request),
            8);
  EXPECT_TRUE(depends_on_date(inspection.identity())) << "not every template was seen";
}

TEST(Epoch, StaysWhileOnlyTheClockOrTheLoadMoves) {
  EXPECT_EQ(epoch(kVllm), epoch(with(kVllm, "GET /v1/models", "1770000001", "1770000099")));
  EXPECT_EQ(epoch(kSglang), epoch(with(kSglang, "GET /server_info", "12.5", "99.5")));
  EXPECT_EQ(epoch(kSglang), epoch(with(kSglang, "GET /server_info", "30000", "30001")));
  EXPECT_EQ(epoch(kLlamaCpp), epoch(with(kLlamaCpp, "GET /props", "<x1>", "<x2>")));
  EXPECT_EQ(epoch(kOllama), epoch(with(kOllama, "GET /api/tags", R"("x")", R"("y")")));
}

TEST(Epoch, ChangesWithWhatAnswersDependOn) {
  EXPECT_NE(epoch(kVllm), epoch(with(kVllm, "GET /version", "0.11.0", "0.11.1")));
  EXPECT_NE(epoch(kVllm), epoch(with(kVllm, "GET /v1/models", "/models/m", "/models/n")));
  EXPECT_NE(epoch(kVllm), epoch(with(kVllm, "GET /v1/models", "8192", "4096")));
  EXPECT_NE(epoch(kSglang),
            epoch(with(kSglang, "GET /server_info", "\"tp_size\":2", "\"tp_size\":4")));
  EXPECT_NE(epoch(kSglang), epoch(with(kSglang, "GET /model_info", "default", "v2")));
  EXPECT_NE(epoch(kLlamaCpp), epoch(with(kLlamaCpp, "GET /props", "messages", "tools")));
  EXPECT_NE(epoch(kLlamaCpp), epoch(with(kLlamaCpp, "GET /props", "0.8", "0.7")));
  EXPECT_NE(epoch(kLlamaCpp), epoch(with(kLlamaCpp, "GET /props", "b6700", "b6701")));
  EXPECT_NE(epoch(kLlamaCpp), epoch(with(kLlamaCpp, "GET /lora-adapters", "[]", R"([{"id":0}])")));
  EXPECT_NE(epoch(kOllama), epoch(with(kOllama, "GET /api/tags", "d1", "d2")));
  EXPECT_NE(epoch(kTgi), epoch(with(kTgi, "GET /info", "abc", "abd")));
  EXPECT_NE(epoch(kTgi), epoch(with(kTgi, "GET /info", "4096", "2048")));
}

TEST(Epoch, IsTheSameForTheSameFactsInAnyOrder) {
  const Fact a{FactName::kBuild, "", "1", "GET /a", Fact::Origin::kObserved};
  const Fact b{FactName::kModelPath, "m", "p", "GET /b", Fact::Origin::kObserved};
  const std::string one = epoch_of(make_identity(Profile::kVllm, {a, b}, {}), "2026-03-01");
  Fact elsewhere = b;
  elsewhere.source = "GET /c";
  EXPECT_EQ(one, epoch_of(make_identity(Profile::kVllm, {elsewhere, b, a, a}, {}), "2026-03-01"));
  EXPECT_EQ(one.size(), 16U);
  // Parts have lengths: what belongs to the value cannot move into the subject.
  Fact moved = b;
  moved.subject = "mp";
  moved.value = "";
  EXPECT_NE(one, epoch_of(make_identity(Profile::kVllm, {a, moved}, {}), "2026-03-01"));
}

TEST(Epoch, ContainsWhatIsDeclared) {
  const std::string plain = epoch(kVllm);
  const std::string digest = epoch(kVllm, {.declared = {.artifact_digest = "sha256:1"}});
  const std::string command = epoch(kVllm, {.declared = {.command = "--x"}});
  const std::string label = epoch(kVllm, {.declared = {.label = "blue"}});
  EXPECT_EQ(std::set<std::string>({plain, digest, command, label}).size(), 4U);
}

TEST(Date, MattersUnlessEveryTemplateWasSeenAndNonePrintsIt) {
  EXPECT_FALSE(depends_on_date(identity_of(kLlamaCpp)));
  EXPECT_TRUE(depends_on_date(
      identity_of(with(kLlamaCpp, "GET /props", "messages", "strftime_now('%d')"))));
  EXPECT_FALSE(depends_on_date(identity_of(kOllama)));
  EXPECT_TRUE(
      depends_on_date(identity_of(with(kOllama, "POST /api/show", ".Prompt", "currentDate"))));
  EXPECT_TRUE(depends_on_date(identity_of(
      with(kOllama, "POST /api/show", R"("parameters")", R"("renderer":"harmony","parameters")"))));
  EXPECT_TRUE(depends_on_date(identity_of(kVllm))) << "not seen";
  EXPECT_TRUE(depends_on_date(identity_of({})));

  const Identity fixed = identity_of(kLlamaCpp);
  EXPECT_EQ(epoch_of(fixed, "2026-03-01"), epoch_of(fixed, "2026-03-02"));
  const Identity dated = identity_of(kVllm);
  EXPECT_NE(epoch_of(dated, "2026-03-01"), epoch_of(dated, "2026-03-02"));
}

TEST(Date, IsUtcAndEndsAtMidnight) {
  const WallTime at = WallTime{} + std::chrono::hours(24 * 20513 + 23) + std::chrono::minutes(59);
  EXPECT_EQ(utc_date(at), "2026-03-01");
  EXPECT_EQ(until_next_utc_date(at), Duration(std::chrono::minutes(1)));
  EXPECT_EQ(utc_date(at + std::chrono::minutes(1)), "2026-03-02");
}

TEST(Proof, IsTheWeakestOfAllModels) {
  EXPECT_EQ(proof_of(identity_of(kOllama)), Proof::kProven);
  EXPECT_EQ(proof_of(identity_of(kTgi)), Proof::kProven);
  EXPECT_EQ(proof_of(identity_of(kVllm)), Proof::kClaimed);
  EXPECT_EQ(proof_of(identity_of(kLlamaCpp)), Proof::kClaimed);
  EXPECT_EQ(proof_of(identity_of({})), Proof::kUnknown);
  EXPECT_EQ(proof_of(identity_of(kVllm, {.declared = {.artifact_digest = "x"}})), Proof::kDeclared);

  const Identity mixed = identity_of(with(kOllama, "GET /api/tags", R"({"name":"a)",
                                          R"({"name":"b:cloud","digest":"d","remote_host":"h"},)"
                                          R"({"name":"a)"));
  EXPECT_EQ(proof_of(mixed), Proof::kClaimed) << "what runs elsewhere is not pinned here";
  EXPECT_EQ(proof_of(mixed, "a"), Proof::kProven);
  EXPECT_EQ(proof_of(mixed, "b:cloud"), Proof::kClaimed);
}

TEST(Proof, DecidesWhatMayBeSharedBetweenReplicas) {
  const auto across = [](const Identity& identity) { return meaning_of(identity).across_replicas; };
  EXPECT_TRUE(across(identity_of(kOllama)).starts_with("May share"));
  EXPECT_TRUE(across(identity_of(kVllm)).starts_with("Must not share: a path"));
  EXPECT_TRUE(across(identity_of({})).starts_with("Must not share: nothing"));
  EXPECT_TRUE(
      across(identity_of(kVllm, {.declared = {.artifact_digest = "x"}})).starts_with("May share"));
  EXPECT_NE(across(Inspection({.host = "api.openai.com"}).identity()).find("hosted"),
            std::string::npos);
}

TEST(Unknown, IsWhatNobodyToldOrDeclared) {
  using enum FactName;
  EXPECT_EQ(unknown_of(identity_of(kOllama)), std::vector({kCommand}));
  EXPECT_EQ(unknown_of(identity_of(kTgi)), std::vector<FactName>());
  EXPECT_EQ(unknown_of(identity_of(kLlamaCpp)), std::vector({kArtifactDigest, kCommand}));
  EXPECT_EQ(unknown_of(identity_of(kLlamaCpp,
                                   {.declared = {.artifact_digest = "x", .command = "-ngl 99"}})),
            std::vector<FactName>());
  EXPECT_EQ(unknown_of(identity_of({})).size(), 5U);
}

TEST(Facts, ShowNothingLongSecretOrUnprintable) {
  const Identity identity = identity_of(with(kLlamaCpp, "GET /props", "b6700-abc", "b\\u001b[31m"));
  EXPECT_TRUE(value_of(identity, FactName::kBuild).starts_with("sha256:"));
  const Identity long_path =
      identity_of(with(kLlamaCpp, "GET /props", "/models/a", std::string(500, 'x')));
  EXPECT_TRUE(value_of(long_path, FactName::kModelPath).starts_with("sha256:"));
  EXPECT_TRUE(value_of(identity_of(kSglang), FactName::kCommand).starts_with("sha256:"));
  EXPECT_TRUE(value_of(identity, FactName::kTemplate).starts_with("sha256:"));
}

TEST(Facts, ARouterStartsModelsOnPortsOfTheirOwn) {
  const auto router = [](const char* port, const char* layers) {
    return Answers{{"GET /v1/models",
                    std::string(R"({"data":[{"id":"m","owned_by":"llamacpp","status":{"args":)") +
                        R"(["llama-server","--port",")" + port + R"(","-ngl",")" + layers +
                        R"("]}}]})"}};
  };
  EXPECT_EQ(epoch(router("1", "9")), epoch(router("2", "9")));
  EXPECT_NE(epoch(router("1", "9")), epoch(router("1", "8")));
}

TEST(ModelChanges, AreKnownPerServer) {
  using enum Profile;
  EXPECT_TRUE(changes_model(kOllama, "POST", "/api/pull"));
  EXPECT_TRUE(changes_model(kOllama, "DELETE", "/api/delete"));
  EXPECT_TRUE(changes_model(kLlamaCpp, "POST", "/lora-adapters"));
  EXPECT_TRUE(changes_model(kLlamaCpp, "POST", "/models/unload"));
  EXPECT_TRUE(changes_model(kVllm, "POST", "/v1/load_lora_adapter"));
  EXPECT_TRUE(changes_model(kVllm, "POST", "/wake_up"));
  EXPECT_TRUE(changes_model(kSglang, "POST", "/update_weights_from_disk"));
  EXPECT_TRUE(changes_model(kSglang, "GET", "/update_weight_version"));

  EXPECT_FALSE(changes_model(kLlamaCpp, "GET", "/lora-adapters"));
  EXPECT_FALSE(changes_model(kVllm, "POST", "/api/pull"));
  EXPECT_FALSE(changes_model(kOllama, "POST", "/api/chat"));
  EXPECT_FALSE(changes_model(kSglang, "POST", "/flush_cache"));
  EXPECT_FALSE(changes_model(kOpenAi, "POST", "/v1/chat/completions"));
}

TEST(ModelChanges, OfAnUnknownServerAreThoseOfAll) {
  using enum Profile;
  EXPECT_TRUE(changes_model(kGeneric, "POST", "/api/pull"));
  EXPECT_TRUE(changes_model(kGeneric, "POST", "/sleep"));
  EXPECT_TRUE(changes_model(kGeneric, "GET", "/unload"));
  EXPECT_FALSE(changes_model(kGeneric, "POST", "/v1/chat/completions"));
  EXPECT_FALSE(changes_model(kGeneric, "HEAD", "/unload"));
  EXPECT_FALSE(changes_model(kGeneric, "GET", "/v1/models"));
}

TEST(ModelChanges, AreNotHiddenByPrefixesOrEscapes) {
  EXPECT_TRUE(changes_model(Profile::kOllama, "POST", "/proxy/ollama/api/pull"));
  EXPECT_TRUE(changes_model(Profile::kOllama, "POST", "/api/%70ull"));
  EXPECT_TRUE(changes_model(Profile::kOllama, "POST", "/api/pull/"));
  EXPECT_FALSE(changes_model(Profile::kOllama, "POST", "/api/pull%"));
}

}  // namespace
}  // namespace slipstream::identity
