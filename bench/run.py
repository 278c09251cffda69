#!/usr/bin/env python3
"""Runs the end-to-end benchmark and prints its table. `run.py --help`; method: README.md."""

import argparse
import atexit
import datetime
import json
import os
import pathlib
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import time

import measures
import report
import servers
from harness import Bench, Options
from servers import Failure

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse_args():
    listed = "\n".join(f"  {number:>2}  {question.__doc__}" for number, question in
                       measures.ALL.items())
    parser = argparse.ArgumentParser(description="Slipstream's end-to-end benchmark.",
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="measures:\n" + listed)
    parser.add_argument("--only", help="measures to run, such as 1,4 (default: all)")
    parser.add_argument("--rounds", type=int, help="rounds per measure (7)")
    parser.add_argument("--quick", action="store_true", help="3 rounds of short samples")
    parser.add_argument("--build", default=str(ROOT / "build" / "release"), help="build directory")
    parser.add_argument("--gateway", help="the gateway's program (default: BUILD/slipstream)")
    parser.add_argument("--gateway-args", default="", help="more options for the gateway")
    parser.add_argument("--subject", default="gateway",
                        choices=["gateway", "nginx", "haproxy", "varnish"],
                        help="what stands in the gateway's place: tests the benchmark itself")
    parser.add_argument("--no-pin", action="store_true", help="never bind processes to CPUs")
    parser.add_argument("--priority", action="store_true",
                        help="run everything at nice -19 (needs the right to do so)")
    parser.add_argument("--json", metavar="FILE", help="write the rows as JSON, - prints them")
    parser.add_argument("--markdown", metavar="FILE", help="write the table as a Markdown page")
    return parser.parse_args()


def chosen_measures(only):
    if not only:
        return list(measures.ALL)
    chosen = [int(part) for part in only.split(",")]
    unknown = [number for number in chosen if number not in measures.ALL]
    if unknown:
        sys.exit(f"no such measure: {unknown}")
    return chosen


def find_programs(build):
    """The directory of load_stub and load_gen, built if there is a build directory to build in."""
    if (build / "build.ninja").exists():
        subprocess.run(["ninja", "-C", str(build), "bench"], stdout=subprocess.DEVNULL, check=False)
    for program in build.glob("**/load_gen"):
        return program.parent
    sys.exit(f"load_gen is not in {build}: ninja -C {build} bench")


def take_priority():
    """Goes before everything else on a shared machine, and hands the session's priority back.

    Plain nice does nothing between autogroups, so the session's autogroup is raised too.
    """
    group = pathlib.Path("/proc/self/autogroup")
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -19)
        if group.exists():
            atexit.register(group.write_text, "0")
            group.write_text("-19")
    except OSError as error:
        print(f"no priority: {error}", file=sys.stderr)


def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in
                pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    return f"{os.cpu_count()} × {cpu}, {platform.system()} {platform.release()}"


def facts(bench, started):
    """What the table was measured with; the command comes without this machine's paths."""
    commit = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"],
                            capture_output=True, text=True, check=False).stdout.strip()
    paths = ("--build", "--gateway", "--json", "--markdown")
    arguments = [argument for before, argument in zip(sys.argv, sys.argv[1:])
                 if before not in paths and argument.split("=")[0] not in paths]
    found = {"Machine": machine(), "Date": datetime.date.today().isoformat(),
             "Command": "`python3 bench/run.py " + shlex.join(arguments) + "`",
             "Subject": bench.options.subject, "Rounds": bench.options.rounds,
             "Pinned": "proxy on CPU 0, stub and loader on CPU 1 (1 worker)" if bench.options.pin
                       else "nothing"}
    if commit:
        found["Commit"] = commit
    found |= {f"Version of {program}": text for program, text in servers.versions().items()}
    if os.getpriority(os.PRIO_PROCESS, 0) < 0:
        found["Priority"] = f"nice {os.getpriority(os.PRIO_PROCESS, 0)}"
    found["Took"] = f"{(time.monotonic() - started) / 60:.0f} min"
    return found


def run_all(bench, chosen):
    rows = []
    for number in chosen:
        bench.measure = number
        question = measures.ALL[number]
        bench.say(question.__doc__)
        try:
            rows += question(bench)
        except (Failure, subprocess.SubprocessError, OSError) as failure:
            bench.note(f"measure {number} failed: {failure}")
            rows.append(report.Row(number, question.__doc__, None))
        for row in rows:
            row.failed = row.measure in bench.failed
    return rows


def main():
    args = parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # unwinds: servers are stopped
    started = time.monotonic()
    build = pathlib.Path(args.build)
    options = Options(
        gateway=args.gateway or str(build / "slipstream"),
        gateway_args=shlex.split(args.gateway_args), programs=find_programs(build), build=build,
        subject=args.subject, rounds=args.rounds or (3 if args.quick else 7),
        scale=0.4 if args.quick else 1.0,
        pin=not args.no_pin and shutil.which("taskset") is not None and (os.cpu_count() or 1) > 1)
    if args.priority:
        take_priority()
    bench = Bench(options)
    rows = run_all(bench, chosen_measures(args.only))
    print(report.plain_table(rows))
    for note in bench.notes:
        print("note: " + note)
    if args.json:
        text = json.dumps({"facts": facts(bench, started), "notes": bench.notes,
                           "rows": [row.as_json() for row in rows]}, indent=1, ensure_ascii=False)
        if args.json == "-":
            print(text)
        else:
            pathlib.Path(args.json).write_text(text + "\n")
    if args.markdown:
        pathlib.Path(args.markdown).write_text(
            report.markdown_page(rows, facts(bench, started), bench.notes))
    bad = [row for row in rows if row.verdict() in ("MISSED", "FAILED", "not measured")]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
