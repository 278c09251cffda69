// The load generator: `load_gen MODE --name value ...`, one thread, one epoll set. Modes: load.h.
#include <csignal>
#include <cstdio>
#include <string_view>

#include "load.h"

int main(int argc, char** argv) {
  using namespace slipstream::bench;
  std::signal(SIGPIPE, SIG_IGN);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string_view mode = argc > 1 ? argv[1] : "";
  raise_fd_limit();
  const Options options(argc, argv, 2);
  if (mode == "closed") return run_closed(options);
  if (mode == "open") return run_open(options);
  if (mode == "fanout") return run_fanout(options);
  if (mode == "hold") return run_hold(options);
  if (mode == "bare") return run_bare(options);
  die("usage: load_gen closed|open|fanout|hold|bare --name value ...");
}
