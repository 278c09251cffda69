#include "flight/hall.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/random.h"
#include "flight/fake_flight.h"
#include "flight/table.h"

namespace slipstream::flight {
namespace {

// Wake-ups of one worker, attended when the test says so.
class QueuedPort final : public WakePort {
 public:
  void wake(FlightRef flight) override { queue.push_back(std::move(flight)); }
  std::deque<FlightRef> queue;
};

class Reader final : public Subscriber {
 public:
  explicit Reader(std::function<void(Reader&)> then = {}) : then_(std::move(then)) {}
  void on_progress() override {
    ++calls;
    if (then_) then_(*this);
  }
  int calls = 0;

 private:
  std::function<void(Reader&)> then_;
};

class HallTest : public testing::Test {
 protected:
  HallTest() { table_.enter(flight_, Time{}, seconds(1)); }

  void attend_one(Hall& hall, QueuedPort& port) {
    ASSERT_FALSE(port.queue.empty());
    const FlightRef next = port.queue.front();
    port.queue.pop_front();
    hall.attend(next);
  }

  QueuedPort home_port_, remote_port_;
  WakePort* ports_[2] = {&home_port_, &remote_port_};
  ReplayBudget budget_{1 << 30};
  FlightTable table_{Bounds{}};
  boost::intrusive_ptr<FakeFlight> flight_ = make_flight(budget_, ports_);
  Hall home_{0}, remote_{1};
};

TEST_F(HallTest, TellsEverybodyInJoinOrder) {
  std::vector<int> order;
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < 5; ++i) {
    readers.push_back(std::make_unique<Reader>([&order, i](Reader&) { order.push_back(i); }));
    home_.enter(*flight_, *readers.back());
  }
  EXPECT_EQ(home_.subscribers(), 5U);
  home_.announce(*flight_);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  for (auto& reader : readers) home_.leave(*flight_, *reader);
  EXPECT_EQ(home_.subscribers(), 0U);
  EXPECT_FALSE(home_.seated(*readers[0]));
}

TEST_F(HallTest, YieldsAfterASliceAndGoesOnWhereItStopped) {
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < 150; ++i) {
    readers.push_back(std::make_unique<Reader>());
    home_.enter(*flight_, *readers.back());
  }
  const auto told = [&] {
    int count = 0;
    for (auto& reader : readers) count += reader->calls;
    return count;
  };
  home_.announce(*flight_);
  EXPECT_EQ(told(), Hall::kWritesPerSlice);
  EXPECT_EQ(home_port_.queue.size(), 1U);
  home_.announce(*flight_);  // news during a pass: the running pass finishes, then a full one
  EXPECT_EQ(told(), Hall::kWritesPerSlice);
  int slices = 0;
  for (; !home_port_.queue.empty(); ++slices) attend_one(home_, home_port_);
  EXPECT_EQ(told(), 300);
  EXPECT_LE(slices, 300 / Hall::kWritesPerSlice + 1);
  for (auto& reader : readers) {
    EXPECT_EQ(reader->calls, 2);
    home_.leave(*flight_, *reader);
  }
}

TEST_F(HallTest, ExactlyOneSliceNeedsNoSecondTurn) {
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < Hall::kWritesPerSlice; ++i) {
    readers.push_back(std::make_unique<Reader>());
    home_.enter(*flight_, *readers.back());
  }
  home_.announce(*flight_);
  EXPECT_TRUE(home_port_.queue.empty());
  for (auto& reader : readers) home_.leave(*flight_, *reader);
}

// Every reader may leave, and take any neighbour along, from inside its own callback.
TEST_F(HallTest, LeavingFromInsideNeverSkipsOrRepeatsTheOthers) {
  for (Hall* hall : {&home_, &remote_}) {
    for (std::size_t leaver = 0; leaver < 4; ++leaver) {
      for (std::size_t taken = 0; taken < 4; ++taken) {
        std::vector<std::unique_ptr<Reader>> readers;
        for (std::size_t i = 0; i < 4; ++i) {
          readers.push_back(std::make_unique<Reader>([&, i](Reader& self) {
            if (i != leaver) return;
            hall->leave(*flight_, self);
            if (taken != i) hall->leave(*flight_, *readers[taken]);
          }));
          hall->enter(*flight_, *readers.back());
        }
        home_.announce(*flight_);
        if (hall == &remote_) attend_one(remote_, remote_port_);
        for (std::size_t i = 0; i < 4; ++i) {
          EXPECT_EQ(readers[i]->calls, i == taken && taken > leaver ? 0 : 1);
          if (hall->seated(*readers[i])) hall->leave(*flight_, *readers[i]);
        }
        EXPECT_EQ(hall->subscribers(), 0U);
      }
    }
  }
}

TEST_F(HallTest, LastOneLeavingARemoteRoomFromInsideClosesIt) {
  Reader reader([&](Reader& self) { remote_.leave(*flight_, self); });
  remote_.enter(*flight_, reader);
  flight_->publish("x");
  home_.announce(*flight_);
  attend_one(remote_, remote_port_);
  EXPECT_EQ(reader.calls, 1);
  flight_->publish("y");
  home_.announce(*flight_);
  EXPECT_TRUE(remote_port_.queue.empty()) << "nobody there is interested any more";
}

TEST_F(HallTest, OneWakeUpPerWorkerAndBatch) {
  Reader first, second;
  remote_.enter(*flight_, first);
  remote_.enter(*flight_, second);
  for (int i = 0; i < 10; ++i) {
    flight_->publish("x");
    home_.announce(*flight_);
  }
  EXPECT_EQ(remote_port_.queue.size(), 1U) << "one is on its way already";
  attend_one(remote_, remote_port_);
  EXPECT_EQ(first.calls, 1);
  EXPECT_EQ(second.calls, 1);
  flight_->publish("x");
  home_.announce(*flight_);
  EXPECT_EQ(remote_port_.queue.size(), 1U) << "attended: the next batch wakes again";
  attend_one(remote_, remote_port_);
  remote_.leave(*flight_, first);
  remote_.leave(*flight_, second);
  EXPECT_EQ(flight_->home_wakes, 0);
}

TEST_F(HallTest, WakeOfTheHomeWorkerReachesTheFlight) {
  flight_->wake(0);
  flight_->wake(0);
  EXPECT_EQ(home_port_.queue.size(), 1U);
  attend_one(home_, home_port_);
  EXPECT_EQ(flight_->home_wakes, 1);
}

TEST_F(HallTest, WakeUpHoldsTheFlight) {
  auto lone = make_flight(budget_, ports_, 0, 'z');
  lone->wake(1);
  lone.reset();
  attend_one(remote_, remote_port_);  // nobody there: no harm, and the last reference goes
  EXPECT_TRUE(remote_port_.queue.empty());
}

TEST_F(HallTest, FastestPositionOnlyRises) {
  flight_->note_position(5);
  flight_->note_position(3);
  EXPECT_EQ(flight_->fastest_position(), 5U);
}

// A worker thread with a queue: sleeps unless woken, so that a lost wake-up hangs its readers.
class Worker final : public WakePort {
 public:
  explicit Worker(WorkerIndex index) : hall(index) {}
  void wake(FlightRef flight) override {
    post([this, flight] { hall.attend(flight); });
  }
  void post(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ready_.notify_one();
  }
  // Runs tasks until `open` is 0. False when nothing came for so long that something must be lost.
  bool run_while(const std::atomic<int>& open) {
    while (open.load() > 0) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        if (!ready_.wait_for(lock, seconds(20), [&] { return !tasks_.empty(); })) return false;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
    return true;
  }

  Hall hall;

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> tasks_;
};

// Joins, reads what there is after every wake-up, leaves at the end of the log.
class Follower final : public Subscriber {
 public:
  Follower(Worker& worker, FlightTable& table, const FlightRef& spare, std::atomic<int>& open)
      : worker_(worker), table_(table), open_(open) {
    auto entry = table.enter(spare, Time{}, seconds(1));
    EXPECT_FALSE(entry.opened);
    flight_ = entry.flight;
    cursor_ = std::move(entry.cursor);
    worker.hall.enter(*flight_, *this);
    on_progress();
  }
  void on_progress() override {
    if (!flight_) return;
    const bool ended = flight_->log().ended();
    got += read_some(cursor_);
    if (!ended) return;
    worker_.hall.leave(*flight_, *this);
    table_.leave(*flight_, Time{});
    flight_.reset();
    --open_;
  }
  std::string got;

 private:
  Worker& worker_;
  FlightTable& table_;
  std::atomic<int>& open_;
  FlightRef flight_;
  Cursor cursor_;
};

constexpr int kRounds = 300;
constexpr int kItems = 40;
constexpr int kFollowersPerWorker = 3;

// One round: worker 0 publishes and announces, followers join on the others at random moments.
struct Hunt {
  explicit Hunt(std::uint64_t seed_of_round) : seed(seed_of_round) {
    flight->publish("first");
    table.enter(flight, Time{}, seconds(1));
  }

  void follow(Worker& worker, std::vector<std::unique_ptr<Follower>>& followers) {
    SeededRandom random(seed * 10 + (&worker == &first ? 1 : 2));
    std::atomic<int> open{kFollowersPerWorker};
    for (int i = 0; i < kFollowersPerWorker; ++i) {
      for (std::uint64_t spins = random.below(2000); spins > 0; --spins) joined.load();
      followers.push_back(
          std::make_unique<Follower>(worker, table, make_flight(budget, ports), open));
      ++joined;
    }
    EXPECT_TRUE(worker.run_while(open)) << "a wake-up was lost in round " << seed;
  }

  std::string write() {
    std::string whole = "first";
    for (int i = 0; i < kItems; ++i) {
      const std::string item(static_cast<std::size_t>(1 + i * 3), static_cast<char>('a' + i % 26));
      whole += item;
      flight->publish(item);
      home.hall.announce(*flight);
      if (i == kItems / 2)
        while (joined < 2 * kFollowersPerWorker) std::this_thread::yield();
    }
    flight->end(FlightEnding::kWhole);
    home.hall.announce(*flight);
    return whole;
  }

  std::uint64_t seed;
  ReplayBudget budget{1 << 30};
  Worker home{0}, first{1}, second{2};
  WakePort* ports[3] = {&home, &first, &second};
  FlightTable table{Bounds{}};
  boost::intrusive_ptr<FakeFlight> flight = make_flight(budget, ports);
  std::atomic<int> joined{0};
};

TEST(HallConcurrent, NoWakeUpIsLost) {
  for (std::uint64_t seed = 0; seed < kRounds && !testing::Test::HasFailure(); ++seed) {
    Hunt hunt(seed);
    std::vector<std::unique_ptr<Follower>> on_first, on_second;
    std::thread first([&] { hunt.follow(hunt.first, on_first); });
    std::thread second([&] { hunt.follow(hunt.second, on_second); });
    const std::string whole = hunt.write();
    first.join();
    second.join();
    for (const auto* row : {&on_first, &on_second})
      for (const auto& follower : *row) EXPECT_EQ(follower->got, whole);
  }
}

}  // namespace
}  // namespace slipstream::flight
