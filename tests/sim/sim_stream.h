// Simulated TCP: pairs of streams, each direction with its own faults, and a connector.
//
// The two ends keep exactly the promises of net/stream.h and no more: on_readable() comes only
// after a read() that returned kWouldBlock (or before the first one), on_writable() only after a
// short write, either may come for nothing. Bytes travel in order, in any pieces, as late as the
// seed wants; closing with unread bytes and writing to a closed peer reset the connection, as TCP
// does.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "net/stream.h"
#include "sim/sim_world.h"

namespace slipstream::sim {

// What may go wrong in one direction. All zero: bytes arrive at once and whole.
struct LinkFaults {
  std::uint64_t delay_ms_max = 0;
  std::uint64_t split_percent = 0;        // of deliveries and reads that move only a part
  std::uint64_t short_write_percent = 0;  // of writes that take only a part
  std::uint64_t spurious_percent = 0;
  std::uint64_t stall_percent = 0;  // of deliveries that take stall_ms longer
  std::uint64_t stall_ms = 0;
  std::uint64_t loss_percent = 0;  // of resets that destroy what had arrived before them
  std::size_t capacity = 256 * 1024;

  // Nothing holds bytes up for longer than delay_ms_max.
  bool is_prompt() const { return stall_percent == 0 && capacity >= 256 * 1024; }
};

class Pipe;

class SimStream final : public net::ByteStream {
 public:
  SimStream(std::shared_ptr<Pipe> pipe, int side);
  ~SimStream() override { close(); }
  using net::ByteStream::write;
  void set_handler(net::StreamHandler* handler) override;
  net::IoResult read(std::span<char> into) override;
  net::IoResult write(std::span<const iovec> pieces) override;
  void close() override;
  void shutdown_write() override;
  void reset() override;
  std::string_view peer_address() const override { return "10.1.2.3"; }

 private:
  std::shared_ptr<Pipe> pipe_;
  const int side_;
};

// Both directions of one connection. Side 0 opened it.
class Pipe : public std::enable_shared_from_this<Pipe> {
 public:
  Pipe(SimWorld& world, std::uint64_t number, SimLoop& opener, SimLoop& other,
       const std::array<LinkFaults, 2>& faults);

 private:
  friend class SimStream;
  struct End {
    SimLoop* loop = nullptr;
    net::StreamHandler* handler = nullptr;
    bool live = false;  // the stream object exists
    bool closed = false;
    bool armed = true;  // the next arrival must be told
    bool blocked = false;
    bool readable_on_its_way = false;
    bool writable_on_its_way = false;
  };
  struct Half {  // what its side writes
    std::string wire;
    std::string arrived;
    bool fin = false;
    bool fin_arrived = false;
    bool rst = false;
    bool rst_arrived = false;
    bool ticking = false;
  };

  void go_live(int side);
  net::IoResult read(int side, std::span<char> into);
  net::IoResult write(int side, std::span<const iovec> pieces);
  void close(int side);
  void reset(int side);
  void finish(int side);

  std::size_t room(int side) const;
  // Lets what `side` wrote travel. The rest of a split delivery is not delayed again.
  enum class Travel { kAnew, kRest };
  void schedule(int side, Travel travel = Travel::kAnew);
  void deliver(int side);
  void deliver_reset(int side);
  void tell_readable(int side);
  void tell_writable(int side);
  void note(std::string_view what, int side, std::uint64_t n = 0);

  SimWorld& world_;
  const std::uint64_t number_;
  std::array<End, 2> ends_;
  std::array<Half, 2> halves_;
  const std::array<LinkFaults, 2> faults_;
};

// Two connected streams: opener's end and the other one.
struct StreamPair {
  std::unique_ptr<net::ByteStream> opener;
  std::unique_ptr<net::ByteStream> other;
};
StreamPair make_pair(SimWorld& world, std::uint64_t number, SimLoop& opener, SimLoop& other,
                     const std::array<LinkFaults, 2>& faults);

}  // namespace slipstream::sim
