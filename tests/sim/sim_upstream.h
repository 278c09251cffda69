// The scripted upstream: a small HTTP server on simulated streams that answers as the seed wants
// and writes down what it was asked and what it said.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "http/parser.h"
#include "net/stream.h"
#include "sim/exchange_record.h"
#include "sim/script.h"
#include "sim/sim_world.h"

namespace slipstream::sim {

class SimUpstream;

class UpstreamConnection final : public net::StreamHandler {
 public:
  UpstreamConnection(SimUpstream& server, std::unique_ptr<net::ByteStream> stream);
  void on_readable() override;
  void on_writable() override { flush(); }
  void close() { stream_->close(); }

 private:
  void read_some();
  void read_slowly();
  bool feed(std::string_view input);  // false: the connection is over
  void note_head();
  void begin_answer();
  void say_next();
  void say(std::string bytes);
  void flush();
  void spoken();
  void break_off();
  void later(std::uint64_t delay_ms, void (UpstreamConnection::*what)());

  SimUpstream& server_;
  std::unique_ptr<net::ByteStream> stream_;
  http::Parser parser_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  Call* call_ = nullptr;
  Script script_;
  std::unique_ptr<ScriptReader> reader_;
  std::string upload_;
  std::string out_;
  std::uint64_t said_ = 0;
  bool answering_ = false;
  bool script_over_ = false;
  bool silent_ = false;
  bool slow_ = false;
  bool slow_read_waits_ = false;
  bool over_ = false;
};

class SimUpstream {
 public:
  SimUpstream(SimWorld& world, SimLoop& loop, const Swarm& swarm, Evidence& evidence)
      : world_(world), loop_(loop), swarm_(swarm), evidence_(evidence) {}

  SimLoop& loop() { return loop_; }
  void accept(std::unique_ptr<net::ByteStream> stream);
  // Moves what was written down into the evidence.
  void finish();

 private:
  friend class UpstreamConnection;
  SimWorld& world_;
  SimLoop& loop_;
  const Swarm& swarm_;
  Evidence& evidence_;
  std::deque<Call> calls_;  // stays in place
  std::vector<std::unique_ptr<UpstreamConnection>> connections_;
};

}  // namespace slipstream::sim
