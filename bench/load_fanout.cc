// N connections ask at once (and some later) for a stream; everything about what they get.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "load.h"
#include "raw.h"
#include "response.h"
#include "wire.h"

namespace slipstream::bench {
namespace {

enum class Sharing { kSame, kDistinct };

struct Follower {
  int fd = -1;
  std::uint64_t sent_ns = 0;
  std::uint64_t first_ns = 0;  // first byte of the body
  std::size_t offset = 0;      // body bytes received
  std::size_t catch_up = 0;    // a late one has all early events at this offset
  std::uint64_t caught_up_ns = 0;
  bool over = false;
  bool complete = false;
  bool differs = false;  // its bytes are not those of the first copy received
  ResponseReader reader;
};

class Fanout {
 public:
  Fanout(const Options& options, const Script& script, Sharing sharing)
      : n_(options.count("n", 500)),
        late_(options.count("late", 0)),
        events_(script.events),
        sharing_(sharing),
        port_(static_cast<int>(options.number("port", 0))),
        serial_(static_cast<std::uint64_t>(options.number("serial", 0))),
        late_after_ns_(static_cast<std::uint64_t>(options.number("late-ms", 800)) * kNsPerMs),
        spread_ns_(static_cast<std::uint64_t>(options.number("spread-ms", 0)) * kNsPerMs),
        // A generous end, so that a hung target becomes a result and not a hang of the benchmark.
        limit_ns_((script.delay_ms + script.events * script.interval_ms + 20'000) * kNsPerMs),
        request_(options.text("model", ""), header_line(options)),
        meter_(options.text("pids", "")),
        followers_(n_ + late_),
        buffer_(1 << 18, '\0') {
    for (std::size_t i = 0; i < followers_.size(); ++i) {
      followers_[i].fd = connect_loopback(port_);
      poller_.add(followers_[i].fd, i);
    }
  }

  // Runs to the end of all streams or the time limit.
  void run() {
    usleep(200'000);  // let the target finish accepting: that is not what is measured
    cpu_ns_ = meter_.read_ns();
    start_ns_ = now_ns();
    for (std::size_t i = 0; i < n_; ++i) {
      // Nothing is read meanwhile: the answers' delay must be longer than the spread.
      while (now_ns() < start_ns_ + spread_ns_ * i / n_) {
      }
      ask(followers_[i]);
    }
    const std::uint64_t limit = start_ns_ + limit_ns_;
    std::uint64_t late_at = late_ == 0 ? kNever : start_ns_ + late_after_ns_;
    while (over_ < followers_.size() && now_ns() < limit) {
      if (now_ns() >= late_at) {
        for (std::size_t i = n_; i < followers_.size(); ++i) ask(followers_[i]);
        late_at = kNever;
      }
      for (const epoll_event& event : poller_.wait(std::min(limit, late_at))) {
        on_ready(followers_[event.data.u64]);
      }
    }
    end_ns_ = now_ns();
    cpu_ns_ = meter_.read_ns() - cpu_ns_;
  }

  int print();

 private:
  static std::string header_line(const Options& options) {
    const std::string header = options.text("header", "");
    return header.empty() ? header : header + "\r\n";
  }

  void ask(Follower& follower) {
    follower.sent_ns = now_ns();
    follower.catch_up = sent_at_.size() * kEventBytes;
    if (sharing_ == Sharing::kDistinct) ++serial_;
    if (!send_all(follower.fd, request_.with(serial_))) die("short send of a request");
  }

  void on_ready(Follower& follower) {
    if (follower.over) return;
    const ssize_t got = recv(follower.fd, buffer_.data(), buffer_.size(), 0);
    if (got < 0 && errno == EAGAIN) return;
    auto state = ResponseReader::State::kBroken;
    if (got > 0) {
      const std::uint64_t now = now_ns();
      state = follower.reader.feed({buffer_.data(), static_cast<std::size_t>(got)},
                                   [&](std::string_view run) { on_body(follower, run, now); });
    } else if (got == 0) {
      state = follower.reader.at_eof();
    }
    if (state == ResponseReader::State::kReading) return;
    follower.over = true;
    follower.complete = state == ResponseReader::State::kDone && follower.reader.status() == 200 &&
                        follower.offset == stream_bytes(events_);
    ++over_;
    close(follower.fd);
  }

  void on_body(Follower& follower, std::string_view run, std::uint64_t now) {
    if (follower.first_ns == 0) follower.first_ns = now;
    const std::size_t before = follower.offset / kEventBytes;
    if (sharing_ == Sharing::kSame) compare(follower, run);
    follower.offset += run.size();
    const std::size_t after = std::min<std::size_t>(follower.offset / kEventBytes, events_);
    if (follower.caught_up_ns == 0 && follower.offset >= follower.catch_up) {
      follower.caught_up_ns = now;
    }
    if (sharing_ == Sharing::kDistinct) {
      delivered_ += after > before ? after - before : 0;
      return;
    }
    for (std::size_t event = before; event < after && event < sent_at_.size(); ++event) {
      if (follower.differs || sent_at_[event] < follower.sent_ns) continue;
      ++delivered_;
      lag_.add(static_cast<std::int64_t>(now - sent_at_[event]));
    }
  }

  // Compares with the first copy of these bytes, or makes them the first copy.
  void compare(Follower& follower, std::string_view run) {
    if (follower.differs) return;
    const std::size_t known = first_copy_.size() - std::min(first_copy_.size(), follower.offset);
    const std::size_t common = std::min(known, run.size());
    if (std::memcmp(first_copy_.data() + follower.offset, run.data(), common) != 0) {
      follower.differs = true;
      return;
    }
    first_copy_.append(run.substr(common));
    while (sent_at_.size() < events_ && first_copy_.size() >= (sent_at_.size() + 1) * kEventBytes) {
      sent_at_.push_back(read_stamp(first_copy_.data() + sent_at_.size() * kEventBytes));
    }
  }

  std::size_t n_;
  std::size_t late_;
  std::size_t events_;
  Sharing sharing_;
  int port_;
  std::uint64_t serial_;
  std::uint64_t late_after_ns_;
  std::uint64_t spread_ns_;
  std::uint64_t limit_ns_;
  RequestTemplate request_;
  CpuMeter meter_;
  std::vector<Follower> followers_;
  std::string buffer_;
  Poller poller_;

  std::string first_copy_;
  std::vector<std::uint64_t> sent_at_;  // send time of each event of the first copy
  Samples lag_;
  std::size_t over_ = 0;
  std::uint64_t delivered_ = 0;  // events delivered live: sent after their receiver had asked
  std::uint64_t cpu_ns_ = 0;     // of the target, first at the start, then since the start
  std::uint64_t start_ns_ = 0;
  std::uint64_t end_ns_ = 0;
};

int Fanout::print() {
  std::size_t complete = 0;
  std::size_t differing = 0;
  Samples after_leader;
  Samples late;
  const std::uint64_t leader_ns = followers_[0].first_ns;
  for (std::size_t i = 0; i < followers_.size(); ++i) {
    const Follower& follower = followers_[i];
    complete += follower.complete;
    differing += follower.differs;
    if (follower.first_ns == 0) continue;
    if (i > 0 && i < n_) after_leader.add(static_cast<std::int64_t>(follower.first_ns - leader_ns));
    if (i >= n_) late.add(static_cast<std::int64_t>(follower.caught_up_ns - follower.sent_ns));
  }
  const auto events = static_cast<double>(delivered_);
  const auto cpu_ns = static_cast<double>(cpu_ns_);
  std::printf(
      "{\"asked\":%zu,\"complete\":%zu,\"differing\":%zu,\"elapsed_ms\":%.1f,"
      "\"leader_first_ms\":%.3f,\"follower_first_p50_ms\":%.3f,"
      "\"follower_first_p99_ms\":%.3f,\"late_first_p50_ms\":%.3f,\"late_first_p99_ms\":%.3f,"
      "\"lag_p50_ms\":%.3f,\"lag_p99_ms\":%.3f,\"events\":%.0f,\"cpu_us_per_event\":%.4f,"
      "\"events_per_cpu_second\":%.0f}\n",
      followers_.size(), complete, differing, static_cast<double>(end_ns_ - start_ns_) / 1e6,
      static_cast<double>(leader_ns - start_ns_) / 1e6, after_leader.quantile(0.5, 1e6),
      after_leader.quantile(0.99, 1e6), late.quantile(0.5, 1e6), late.quantile(0.99, 1e6),
      lag_.quantile(0.5, 1e6), lag_.quantile(0.99, 1e6), events,
      events > 0 ? cpu_ns / 1e3 / events : 0, cpu_ns > 0 ? events / cpu_ns * 1e9 : 0);
  return complete == followers_.size() ? 0 : 1;
}

}  // namespace

int run_fanout(const Options& options) {
  const auto script = find_script(options.text("model", ""));
  if (!script || script->events == 0) die("--model must name a stream");
  const Sharing sharing = options.number("distinct", 0) == 0 ? Sharing::kSame : Sharing::kDistinct;
  Fanout fanout(options, *script, sharing);
  fanout.run();
  return fanout.print();
}

}  // namespace slipstream::bench
