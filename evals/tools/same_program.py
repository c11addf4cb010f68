"""Checks that the greenloop of PATH is the program that runs this trial: else another build would be judged.

Writes {"same": true} to OUT and exits with 0, or says which two programs there are and exits with 1.
"""

import json
import os
import shutil
import subprocess
import sys


def executable(pid):
    """The program file of a process."""
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:  # no /proc: macOS
        return subprocess.run(["ps", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()


def main():
    """The command line."""
    in_path, runs = shutil.which("greenloop"), executable(os.getppid())
    if in_path is None or not os.path.samefile(in_path, runs):
        print(f"PATH has {in_path}, and the trial is run by {runs}; use evals/run.sh", file=sys.stderr)
        raise SystemExit(1)
    os.makedirs(os.path.dirname(sys.argv[1]), exist_ok=True)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({"same": True}, file)


main()
