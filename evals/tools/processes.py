"""Looks for processes without greenloop: processes.py PIDS OUT. PIDS has one process id a line.

Writes how many were started and how many of them live. A zombie has ended: only nobody has asked for its status yet.
"""

import json
import subprocess
import sys


def lives(pid):
    """True if the process is there and has not ended."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return state != "" and not state.startswith("Z")


def main():
    """The command line."""
    pids, out = sys.argv[1:]
    with open(pids, encoding="utf-8") as file:
        started = [int(line) for line in file]
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"started": len(started), "alive": sum(map(lives, started))}, file)


main()
