// What a warm call asks of the allocator: this program counts it.
#include <gtest/gtest.h>

#include "base/count_allocations.h"
#include "upstream/upstream_harness.h"

namespace slipstream::upstream {
namespace {

// Takes everything, answers on demand, asks for no memory itself.
class Silent final : public AttemptHandler {
 public:
  void on_sent() override {}
  void on_head(const http::Head&) override {}
  void on_body(std::string_view) override {}
  void on_end() override { ended = true; }
  void on_failure(FailureClass) override {}
  void on_batch() override {}
  void on_deadline() override {}
  void on_upload_space() override {}
  bool ended = false;
};

TEST(Client, WarmCallTakesOnePieceOfMemory) {
  World world;
  Silent silent;
  std::unique_ptr<Attempt> attempt;
  std::size_t spent = 0;
  for (int round = 0; round < 5; ++round) {
    silent.ended = false;
    std::size_t before = allocations;
    attempt = world.client->start({.head = kGet}, &silent);
    spent = allocations - before;
    net::Recorder& server = world.server_of(0);
    server.stream->write(kOk);
    before = allocations;
    ASSERT_TRUE(world.until([&] { return silent.ended; }));
    spent += allocations - before;
    server.bytes.clear();
    attempt.reset();
  }
  // The attempt, and the test's own std::function and Asio's wait for the next edge.
  EXPECT_LE(spent, 4U);
  RecordProperty("allocations", static_cast<int>(spent));
}

}  // namespace
}  // namespace slipstream::upstream
