// The doctor against a server that answers what the test says, and its written forms.
#include "cli/doctor.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "cli/cli.h"
#include "http/parser.h"
#include "http/write.h"
#include "json/canonical.h"
#include "net/reactor.h"
#include "net/socket.h"

namespace slipstream::cli {
namespace {

using Answers = std::map<std::string, std::pair<int, std::string>>;  // by path; else 404

class ScriptedConnection final : private net::StreamHandler {
 public:
  ScriptedConnection(const Answers& answers, std::unique_ptr<net::ByteStream> stream)
      : answers_(answers), stream_(std::move(stream)) {
    stream_->set_handler(this);
    on_readable();
  }

 private:
  void on_readable() override {
    std::array<char, 4096> bytes;
    for (;;) {
      const net::IoResult got = stream_->read(bytes);
      if (got.status != net::IoStatus::kOk) return;
      std::string_view input(bytes.data(), got.bytes);
      for (auto step = parser_.next(input); step != http::Parser::Step::kNeedMore;
           step = parser_.next(input)) {
        if (step == http::Parser::Step::kComplete) answer(std::string(parser_.head().path()));
      }
    }
  }
  void on_writable() override {}
  void answer(const std::string& path) {
    const auto found = answers_.find(path);
    const std::string body = found == answers_.end() ? "no" : found->second.second;
    std::string out;
    http::append_status_line(out, found == answers_.end() ? 404 : found->second.first);
    http::append_field(out, "content-length", body.size());
    http::append_end_of_head(out);
    stream_->write(out + body);
  }

  const Answers& answers_;
  std::unique_ptr<net::ByteStream> stream_;
  http::Parser parser_{http::Parser::Kind::kRequest, http::Limits{}};
};

// On a thread of its own, until destroyed.
class ScriptedServer final : private net::AcceptHandler {
 public:
  explicit ScriptedServer(Answers answers) : answers_(std::move(answers)), reactor_(clock_) {
    auto listener = net::Listener::open(reactor_, {.address = "127.0.0.1:0"}, this);
    EXPECT_TRUE(listener.ok());
    listener_ = std::move(*listener);
    url_ = "http://" + listener_->bound_address();
    thread_ = std::thread([this] { reactor_.run(); });
  }
  ~ScriptedServer() {
    reactor_.stop();
    thread_.join();
  }
  const std::string& url() const { return url_; }

 private:
  void on_accepted(std::unique_ptr<net::ByteStream> stream) override {
    connections_.emplace_back(answers_, std::move(stream));
  }

  const Answers answers_;
  const SystemClock clock_;
  net::Reactor reactor_;
  std::unique_ptr<net::Listener> listener_;
  std::list<ScriptedConnection> connections_;
  std::string url_;
  std::thread thread_;
};

const Answers kOllama = {
    {"/api/version", {200, R"({"version":"0.13.0"})"}},
    {"/api/tags", {200, R"({"models":[{"name":"a:latest","digest":"d1"}]})"}},
    {"/api/show", {200, R"({"template":"{{ .Prompt }}","parameters":"temperature 0.6"})"}}};

struct Outcome {
  int code;
  std::string out;
  std::string err;
};
Outcome doctor(std::vector<std::string> words) {
  words.insert(words.begin(), {"slipstream", "doctor"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run(static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}
bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Doctor, SaysWhatAServerTellsAndWhatItMeans) {
  const ScriptedServer server(kOllama);
  const Outcome outcome = doctor({"--upstream", server.url()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "no progress line where nobody watches";
  EXPECT_TRUE(has(outcome.out, "profile   ollama\n")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "artifact  proven\n"));
  EXPECT_TRUE(has(outcome.out, "a:latest  d1"));
  EXPECT_TRUE(has(outcome.out, "GET /api/tags"));
  EXPECT_TRUE(has(outcome.out, "declared\n  nothing\n"));
  EXPECT_TRUE(has(outcome.out, "unknown\n  command\n"));
  EXPECT_TRUE(has(outcome.out, "inside one replica  Shares:"));
  EXPECT_TRUE(has(outcome.out, "across replicas     May share:"));
}

TEST(Doctor, SpeaksJson) {
  const ScriptedServer server(kOllama);
  const Outcome outcome = doctor({"--upstream", server.url(), "--json", "--model", "a"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::string canonical;
  json::Canonicalizer canonicalizer;
  EXPECT_TRUE(canonicalizer.append(outcome.out, canonical).ok()) << outcome.out;
  EXPECT_TRUE(has(canonical, R"("artifact":"proven")")) << canonical;
  EXPECT_TRUE(has(canonical, R"("unknown":["command"])"));
  EXPECT_TRUE(has(canonical, R"("status":200)"));
}

TEST(Doctor, TakesAnythingThatAnswersForReachable) {
  const ScriptedServer nothing({});
  const Outcome generic = doctor({"--upstream", nothing.url()});
  EXPECT_EQ(generic.code, 0) << generic.err;
  EXPECT_TRUE(has(generic.out, "profile   generic\n")) << generic.out;
  EXPECT_TRUE(has(generic.out, "Must not share: nothing says")) << generic.out;

  const ScriptedServer loading({{"/props", {503, "Loading model"}}});
  const Outcome busy = doctor({"--upstream", loading.url(), "--profile", "llamacpp"});
  EXPECT_EQ(busy.code, 0) << busy.err;
  EXPECT_TRUE(has(busy.out, "GET /props was answered 503")) << busy.out;

  const Outcome hosted = doctor({"--upstream", nothing.url(), "--profile", "openai"});
  EXPECT_EQ(hosted.code, 0) << hosted.err;
  EXPECT_TRUE(has(hosted.out, "hosted model name")) << hosted.out;
}

TEST(Doctor, NobodyThereIsExitCodeOne) {
  std::string url;
  {
    url = ScriptedServer({}).url();
  }
  for (const char* profile : {"auto", "openai"}) {
    const Outcome outcome = doctor({"--upstream", url, "--profile", profile, "--timeout", "2s"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "slipstream: cannot reach " + url + ": connect\n");
  }
}

TEST(Doctor, WrongUsageIsExitCodeTwo) {
  EXPECT_EQ(doctor({}).code, 2);
  EXPECT_EQ(doctor({"--upstream", "nowhere"}).code, 2);
  EXPECT_EQ(doctor({"--upstream", "http://127.0.0.1:1", "--profile", "vlllm"}).code, 2);
  EXPECT_EQ(doctor({"--upstream", "http://127.0.0.1:1", "--timeout", "0s"}).code, 2);
  EXPECT_EQ(doctor({"--config", "/no/such/file"}).code, 2);
}

TEST(Doctor, ShowsWhatIsDeclared) {
  Diagnosis diagnosis;
  diagnosis.upstream = "http://x";
  diagnosis.today = "2026-03-01";
  diagnosis.identity = identity::make_identity(Profile::kVllm, {}, {.artifact_digest = "sha256:1"});
  const std::string table = diagnosis_table(diagnosis);
  EXPECT_TRUE(has(table, "observed\n  nothing\n")) << table;
  EXPECT_TRUE(has(table, "artifact_digest    sha256:1  upstream.declared.artifact_digest"))
      << table;
  EXPECT_TRUE(has(table, "(today, 2026-03-01)")) << table;
  EXPECT_TRUE(has(table, "on your word")) << table;
}

}  // namespace
}  // namespace slipstream::cli
