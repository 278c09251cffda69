#include "gateway/worker.h"

#include <ctime>

#include "base/text.h"

namespace slipstream::gateway {

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

upstream::RetryBudget::Options budget_options(const Shared& shared) {
  const config::Settings::Retry& retry = shared.settings.retry;
  // Each worker grants its share, so that no counter is contended.
  const auto workers = static_cast<double>(shared.ports.size());
  upstream::RetryBudget::Options options;
  options.per_flight = static_cast<double>(retry.budget_ratio) / 100.0;
  options.per_second = static_cast<double>(retry.budget_floor) / workers;
  options.tokens_max = std::max(1.0, static_cast<double>(retry.budget_cap) / workers);
  return options;
}

}  // namespace

Worker::Worker(Shared& shared, flight::WorkerIndex index, net::Loop& loop,
               upstream::Upstream& upstream, std::unique_ptr<Random> random)
    : shared_(shared),
      index_(index),
      loop_(loop),
      upstream_(upstream),
      random_(std::move(random)),
      hall_(index),
      examiner_(shared.scope_secret),
      doorman_(shared, examiner_),
      routes_(shared.settings, {}),
      retry_budget_(budget_options(shared), loop.now()),
      metrics_(shared.metrics.worker(index)),
      buffer_(kReadBytes) {
  shared_.ports[index] = this;
}

Worker::~Worker() = default;

void Worker::wake(flight::FlightRef flight) {
  // Lifetime: the worker outlives its loop's posted tasks; the task holds the flight.
  loop_.post([this, flight = std::move(flight)] { hall_.attend(flight); });
}

void Worker::on_accepted(std::unique_ptr<net::ByteStream> stream) {
  const bool full =
      shared_.connections.load(std::memory_order_relaxed) >= shared_.settings.limits.connections;
  if (full || shared_.draining.load(std::memory_order_relaxed)) {
    count_refusal(full ? RefusedBecause::kConnections : RefusedBecause::kDraining);
    return stream->reset();
  }
  shared_.connections.fetch_add(1, std::memory_order_relaxed);
  auto* session = new Session(*this, std::move(stream));
  sessions_.push_back(*session);
  session->on_readable();
}

std::string Worker::take_buffer(std::uint64_t expected) {
  auto& buffers = expected > kBufferBytesSmall ? large_buffers_ : small_buffers_;
  if (buffers.empty()) return {};
  std::string buffer = std::move(buffers.back());
  buffers.pop_back();
  return buffer;
}

void Worker::give_buffer(std::string&& buffer) {
  auto& buffers = buffer.capacity() > kBufferBytesSmall ? large_buffers_ : small_buffers_;
  const bool worth_it =
      buffer.capacity() >= kBufferBytesMin && buffer.capacity() <= kBufferBytesMax;
  if (!worth_it || buffers.size() >= kBuffersKept) {
    std::string().swap(buffer);  // assigning an empty string would keep the memory
    return;
  }
  buffer.clear();
  buffers.push_back(std::move(buffer));
}

std::string Worker::keep(std::string_view bytes) {
  std::string kept = take_buffer(bytes.size());
  if (kept.capacity() < bytes.size() || kept.capacity() > bytes.size() + bytes.size() / 4) {
    give_buffer(std::move(kept));
    kept = std::string();
  }
  kept.assign(bytes);
  return kept;
}

http::Head Worker::take_head() {
  if (heads_.empty()) return {};
  http::Head head = std::move(heads_.back());
  heads_.pop_back();
  return head;
}

void Worker::give_head(http::Head&& head) {
  if (head.field_count() == 0 || heads_.size() >= kBuffersKept) {
    http::Head empty;
    std::swap(head, empty);
    return;
  }
  head.clear();
  heads_.push_back(std::move(head));
}

std::unique_ptr<Exchange> Worker::lend_exchange() {
  if (spare_exchanges_.empty()) return std::make_unique<Exchange>(*this);
  auto exchange = std::move(spare_exchanges_.back());
  spare_exchanges_.pop_back();
  return exchange;
}

void Worker::take_back(std::unique_ptr<Exchange> exchange) {
  // It is on the stack now: lent again after this batch at the earliest.
  if (returned_exchanges_.empty()) {
    loop_.defer([this] {
      for (auto& returned : returned_exchanges_) {
        if (spare_exchanges_.size() < kExchangesKept)
          spare_exchanges_.push_back(std::move(returned));
      }
      returned_exchanges_.clear();
    });
  }
  returned_exchanges_.push_back(std::move(exchange));
}

void Worker::flight_started(LiveFlight& flight) {
  flights_.push_back(flight);
  retry_budget_.flight_started(now());
  live_flights_.store(live_flights() + 1, std::memory_order_relaxed);
}

void Worker::flight_ended(LiveFlight& flight, flight::FlightEnding ending, std::string_view cause) {
  flights_.erase(flights_.iterator_to(flight));
  live_flights_.store(live_flights() - 1, std::memory_order_relaxed);
  const auto level = ending == flight::FlightEnding::kCut || ending == flight::FlightEnding::kFailed
                         ? telemetry::Level::kWarning
                         : telemetry::Level::kDebug;
  if (!shared_.log.enabled(level)) return;
  shared_.log.event(level, "flight",
                    {{"flight", flight.id()},
                     {"ending", to_string(ending)},
                     {"cause", cause},
                     {"endpoint", shared_.endpoint},
                     {"ms", to_ms(now() - flight.opened_at())},
                     {"bytes", flight.log().appended()}});
}

void Worker::note_retry(const LiveFlight& flight, upstream::FailureClass failure) {
  shared_.log.event(telemetry::Level::kWarning, "retry",
                    {{"flight", flight.id()},
                     {"cause", upstream::to_string(failure)},
                     {"endpoint", shared_.endpoint}});
}

void Worker::count_refusal(RefusedBecause because) {
  metrics_.series("default", "", shared_.endpoint, "")
      .add(telemetry::LabelledCounter::kRefusedRequests, static_cast<int>(because));
}

void Worker::take_epoch() {
  epoch_ = shared_.epoch.value();
  routes_.set_epoch(epoch_);
}

void Worker::model_changes() {
  shared_.epoch.next_generation();
  note_epoch(EpochCause::kAdmin);
  if (shared_.wake_prober) shared_.wake_prober();
}

void Worker::note_epoch(EpochCause cause) {
  metrics_.series("default", "", shared_.endpoint, "")
      .add(telemetry::LabelledCounter::kEpochChanges, static_cast<int>(cause));
  routes();
  shared_.log.event(telemetry::Level::kInfo, "epoch",
                    {{"epoch", epoch_.text},
                     {"cause", to_string(cause)},
                     {"profile", to_string(epoch_.profile)}});
}

void Worker::suspect_upstream() {
  if (shared_.upstream_suspect.load(std::memory_order_relaxed) || !shared_.wake_prober) return;
  if (!shared_.upstream_suspect.exchange(true, std::memory_order_relaxed)) shared_.wake_prober();
}

std::string Worker::make_id(char prefix) {
  // One letter and 14 digits (56 random bits): what fits into a string without allocation.
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string id(15, prefix);
  std::uint64_t bits = random_->next();
  for (std::size_t i = 1; i < id.size(); ++i, bits >>= 4) id[i] = kDigits[bits & 15];
  return id;
}

std::string_view Worker::http_date() {
  if (date_.empty() || now() - date_made_at_ >= milliseconds(500)) {
    const std::time_t seconds_now = std::chrono::system_clock::to_time_t(shared_.clock.wall_now());
    std::tm utc{};
    gmtime_r(&seconds_now, &utc);
    char text[32];
    const std::size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc);
    date_.assign(text, size);
    date_made_at_ = now();
  }
  return date_;
}

void Worker::release_later(flight::FlightRef flight) {
  if (released_.empty()) {
    loop_.defer([this] { drop_released(); });
  }
  released_.push_back(std::move(flight));
}

// The canonical bytes of a flight are the largest piece of memory of a small request.
void Worker::drop_released() {
  for (const flight::FlightRef& flight : released_) {
    if (flight->held_once()) give_buffer(flight->take_canonical());
  }
  released_.clear();
}

void Worker::retire(Session& session) {
  sessions_.erase(sessions_.iterator_to(session));
  shared_.connections.fetch_sub(1, std::memory_order_relaxed);
  // It is on the stack now; tasks deferred earlier in this batch may still name it.
  loop_.defer([doomed = std::shared_ptr<Session>(&session)] {});
}

void Worker::drain() {
  for (auto at = sessions_.begin(); at != sessions_.end();) (at++)->drain();
}

void Worker::shut_down() {
  while (!flights_.empty()) flights_.front().shut_down();
  for (auto at = sessions_.begin(); at != sessions_.end();) (at++)->shut_down();
}

}  // namespace slipstream::gateway
