"""Interrupts a command when a file appears: interrupt.py FILE COMMAND…; ends with the command's exit status."""

import os
import signal
import subprocess
import sys
import time


def main():
    """The command line."""
    file, *command = sys.argv[1:]
    process = subprocess.Popen(command)
    until = time.monotonic() + 20
    while not os.path.exists(file):
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            raise SystemExit(f"{file} never appeared")
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    raise SystemExit(process.wait(timeout=20))


main()
