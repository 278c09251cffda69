#include "faults/gate.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>

#include "config/load.h"
#include "faults/upstream.h"
#include "faults/wire.h"
#include "gateway/shared.h"

namespace slipstream::faults {

class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  bool contains(const std::vector<std::string_view>& words) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(lines_, [&](const std::string& line) {
      return std::ranges::all_of(words,
                                 [&](auto word) { return line.find(word) != std::string::npos; });
    });
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    lines_.emplace_back(message.payload.data(), message.payload.size());
  }
  void flush_() override {}

 private:
  std::vector<std::string> lines_;
};

namespace {
config::Settings load(const Upstream& upstream, const Gate::Options& options,
                      std::string_view yaml) {
  config::LoadInput input;
  input.yaml_text = yaml;
  input.flags = {{"listen", "127.0.0.1:0"},
                 {"workers", "2"},
                 // Every call that a test does not expect would be one too many.
                 {"upstream.probe_interval", "0s"},
                 {"upstream.url", "http://127.0.0.1:" + std::to_string(upstream.port())}};
  input.flags.insert(input.flags.end(), options.begin(), options.end());
  auto loaded = config::load(input);
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return loaded->settings;
}
}  // namespace

Gate::Gate(const Upstream& upstream, const Options& options, std::string_view yaml)
    : lines_(std::make_shared<LineSink>()),
      log_(std::make_unique<telemetry::Log>(telemetry::Level::kInfo, telemetry::LogFormat::kText,
                                            clock_, lines_)) {
  const config::Settings settings = load(upstream, options, yaml);
  telemetry::MetricsOptions metrics;
  metrics.tenants_max = settings.metrics.tenants_max;
  metrics.workers = gateway::Server::worker_count(settings);
  metrics.label_values = gateway::metric_labels();
  metrics_ = std::make_unique<telemetry::Metrics>(std::move(metrics));
  auto server = gateway::Server::create(settings, *metrics_, *log_, clock_);
  if (!server) throw std::runtime_error(server.error().message);
  server_ = std::move(*server);
  const std::string& address = server_->address();
  port_ = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  server_->start();
}

Gate::~Gate() {
  server_->stop();
  server_->join();
}

std::uint64_t Gate::labelled(std::string_view metric, std::string_view value) const {
  const std::string page = metrics_->expose();
  const std::string label = "=\"" + std::string(value) + "\"";
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = std::min(page.find('\n', at), page.size());
    const std::string_view line = std::string_view(page).substr(at, end - at);
    at = end + 1;
    if (line.starts_with(metric) && line.find(label) != std::string_view::npos)
      sum += std::stoull(std::string(line.substr(line.rfind(' ') + 1)));
  }
  return sum;
}

void Gate::expect_callers_ended(std::string_view ending, std::uint64_t count) {
  wait_until([&] { return callers_ended(ending) >= count; }, "callers to end");
  EXPECT_EQ(callers_ended(ending), count) << ending;
}

void Gate::wait_followers(std::uint64_t count) {
  wait_until([&] { return followers() >= count; }, "followers to join");
}

void Gate::wait_subscribers(std::uint64_t count) {
  wait_until([&] { return server_->live_subscribers() == count; }, "subscribers to come or go");
}

void Gate::wait_quiet() {
  wait_until(
      [&] {
        return server_->live_flights() == 0 && server_->live_subscribers() == 0 &&
               server_->busy_upstream_connections() == 0 && replay_bytes() == 0 &&
               server_->shared().table.size() == 0;
      },
      "the gateway to let go of everything");
}

void Gate::wait_logged(const std::vector<std::string_view>& words) {
  wait_until([&] { return lines_->contains(words); }, "a log line");
}

bool Gate::logged(std::string_view word) const {
  return lines_->contains({word});
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

std::uint64_t resident_bytes() {
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace slipstream::faults
