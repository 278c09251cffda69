// The program: one subcommand each for the gateway and its laboratory.
#include "cli/cli.h"

int main(int argc, char** argv) {
  return slipstream::cli::run(argc, argv);
}
