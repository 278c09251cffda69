#include "lab/burst.h"

#include <gtest/gtest.h>

#include "lab/answer.h"
#include "lab/lab_test_support.h"
#include "lab/stub.h"

namespace slipstream::lab {
namespace {

class BurstTest : public testing::Test {
 protected:
  BurstTest() : stub_(reactor_, {.script = {.tokens = 5}}) {
    const std::string url = "http://" + *stub_.listen("127.0.0.1:0");
    options_.url = options_.stats_url = url;
    options_.groups = {{.name = "identical", .callers = 20, .distinct = 1}};
  }

  BurstReport run() {
    EXPECT_EQ(problem_with(options_), "");
    std::optional<BurstReport> result;
    Burst burst(
        reactor_, options_, [](const BurstProgress&) {},
        [&](const BurstReport& report) { result = report; });
    burst.start();
    reactor_.run_until([&] { return result.has_value(); });
    return result.value_or(BurstReport{});
  }

  // The defects of one caller against a server that always sends `answer` and ends.
  GroupReport against(const std::string& answer) {
    FixedServer server(reactor_, answer);
    options_.url = "http://" + server.address();
    options_.stats_url.clear();
    options_.groups = {{.callers = 1}};
    return run().groups.at(0);
  }

  TestReactor reactor_;
  Stub stub_;
  BurstOptions options_;
};

std::uint64_t times(const GroupReport& group, Defect defect) {
  return group.defects[static_cast<std::size_t>(defect)];
}

TEST_F(BurstTest, WithoutAGatewayEveryCallerCostsAGeneration) {
  options_.groups.push_back({.name = "different", .callers = 5, .distinct = 5});
  const BurstReport report = run();
  EXPECT_TRUE(report.all_sound()) << render_table(report);
  EXPECT_EQ(report.groups[0].generations, 20U);
  EXPECT_EQ(report.groups[0].joined, 0U);
  EXPECT_EQ(report.groups[0].sound, 20U);
  EXPECT_EQ(report.groups[0].first_lead.count, 20U);
  EXPECT_EQ(report.groups[0].tokens, 100U);
  EXPECT_EQ(report.groups[0].tokens_saved, 0U);
  EXPECT_EQ(report.groups[1].generations, 5U);
  EXPECT_EQ(report.upstream_calls, 25U);
}

TEST_F(BurstTest, RoundsFreePaceAndWholeAnswers) {
  for (const Pace pace : {Pace::kRounds, Pace::kFree}) {
    for (const Delivery delivery : {Delivery::kStreamed, Delivery::kWhole}) {
      options_.pace = pace;
      options_.delivery = delivery;
      options_.requests = 70;  // three and a half rounds
      options_.spread = milliseconds(2);
      const BurstReport report = run();
      EXPECT_TRUE(report.all_sound()) << render_table(report);
      EXPECT_EQ(report.groups[0].requests, 70U);
    }
  }
}

TEST_F(BurstTest, EndsAfterItsTime) {
  options_.pace = Pace::kFree;
  options_.duration = milliseconds(50);
  const BurstReport report = run();
  EXPECT_TRUE(report.all_sound());
  EXPECT_GE(report.groups[0].requests, 20U);
  EXPECT_GE(report.elapsed, milliseconds(50));
}

TEST_F(BurstTest, CallersThatLeaveAreSeenByTheStub) {
  options_.model = "stub:tokens=100000,interval=1ms";
  options_.leave_share = 1.0;
  const BurstReport report = run();
  EXPECT_EQ(report.groups[0].left, 20U);
  EXPECT_TRUE(report.all_sound());
  reactor_.run_until([&] { return stub_.stats().live == 0; });
  EXPECT_EQ(stub_.stats().aborts, 20U);
}

TEST_F(BurstTest, SlowReadersGetEverything) {
  options_.slow_share = 1.0;
  options_.slow_pause = milliseconds(1);
  EXPECT_TRUE(run().all_sound());
}

TEST_F(BurstTest, NamesTheFaultsOfTheStub) {
  const auto one = [&](const char* script) {
    options_.model = std::string("stub:") + script;
    options_.groups = {{.callers = 1}};
    return run().groups.at(0);
  };
  EXPECT_EQ(times(one("error=503"), Defect::kStatus), 1U);
  EXPECT_EQ(times(one("cut=2"), Defect::kCut), 1U);
  EXPECT_EQ(times(one("cut=2,cut_as=reset"), Defect::kCut), 1U);
  EXPECT_EQ(times(one("cut=2,cut_as=end"), Defect::kNoDone), 1U);
  EXPECT_EQ(times(one("error_event=2"), Defect::kErrorEvent), 1U);
  options_.timeout = milliseconds(30);
  EXPECT_EQ(times(one("silence_after=2"), Defect::kTimeout), 1U);
  EXPECT_EQ(times(one("silence_after=head"), Defect::kTimeout), 1U);
}

TEST_F(BurstTest, SeesPlantedCorruption) {
  StubRequest request;
  AnswerWriter mine(request, 1, 2, 0);
  AnswerWriter foreign(request, 2, 2, 0);
  const std::string head =
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
  std::string zero;
  std::string one;
  std::string other;
  std::string finish;
  mine.append(zero, StepKind::kToken, 0);
  mine.append(one, StepKind::kToken, 1);
  foreign.append(other, StepKind::kToken, 1);
  mine.append(finish, StepKind::kFinish);
  std::string done;
  mine.append(done, StepKind::kDone);
  EXPECT_EQ(against(head + zero + one + finish + done).sound, 1U);
  EXPECT_EQ(times(against(head + zero + other + finish + done), Defect::kMixedCalls), 1U);
  EXPECT_EQ(times(against(head + one + finish + done), Defect::kTokenGap), 1U);
  EXPECT_EQ(times(against(head + zero + one + finish), Defect::kNoDone), 1U);
  const std::string broken =
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: "
      "chunked\r\n\r\nzz\r\n";
  EXPECT_EQ(times(against(broken), Defect::kFraming), 1U);
}

TEST_F(BurstTest, SeesAnswersOfAnotherPrompt) {
  StubRequest request;
  AnswerWriter writer(request, 1, 1, 0);
  std::string answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
  writer.append(answer, StepKind::kToken, 0);
  writer.append(answer, StepKind::kFinish);
  writer.append(answer, StepKind::kDone);
  FixedServer server(reactor_, answer);
  options_.url = "http://" + server.address();
  options_.stats_url.clear();
  options_.groups = {{.callers = 4, .distinct = 2}};
  const GroupReport group = run().groups.at(0);
  EXPECT_EQ(group.sound, 2U);
  EXPECT_EQ(times(group, Defect::kWrongPrompt), 2U);
  options_.groups = {{.callers = 4, .distinct = 1}};
  options_.tenants = 2;
  EXPECT_EQ(times(run().groups.at(0), Defect::kWrongTenant), 2U);
}

TEST_F(BurstTest, TellsWhenNobodyListens) {
  auto closed = net::Listener::open(reactor_, {.address = "127.0.0.1:0"}, nullptr);
  options_.url = "http://" + (*closed)->bound_address();
  options_.stats_url = options_.url;
  closed->reset();
  const BurstReport report = run();
  EXPECT_EQ(times(report.groups.at(0), Defect::kConnect), 20U);
  EXPECT_EQ(report.upstream_calls, std::nullopt);
  EXPECT_FALSE(report.first_failure.empty());
}

TEST_F(BurstTest, OptionsAreChecked) {
  const auto problem = [&](auto change) {
    BurstOptions options = options_;
    change(options);
    return !problem_with(options).empty();
  };
  EXPECT_TRUE(problem([](BurstOptions& o) { o.url = "https://x"; }));
  EXPECT_TRUE(problem([](BurstOptions& o) { o.url = "nonsense"; }));
  EXPECT_TRUE(problem([](BurstOptions& o) { o.groups.clear(); }));
  EXPECT_TRUE(problem([](BurstOptions& o) { o.groups[0].callers = 0; }));
  EXPECT_TRUE(problem([](BurstOptions& o) { o.leave_share = 1.5; }));
  EXPECT_TRUE(problem([](BurstOptions& o) { o.tenants = 0; }));
  EXPECT_FALSE(problem([](BurstOptions&) {}));
}

}  // namespace
}  // namespace slipstream::lab
