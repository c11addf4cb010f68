"""A constant is refused however it is wrapped: sample_wraps.py OUT --samples N [--seed S].

Draws commands that print a constant behind shells, `env`, paths, `timeout` and the like, and as many that run a product
behind the same wrappings. `greenloop run --check` must call each of the first trivial, and none of the second.
The seed is printed; without --seed it is another one in every run.
"""

import argparse
import json
import os
import random
import shlex
import subprocess

CONSTANTS = [["echo", "ok"], ["true"], ["printf", "%s", "ok"], ["/bin/echo", "ok"], ["/usr/bin/true"], ["python3", "-c", "print('ok')"]]
PRODUCTS = [["./product", "add"], ["python3", "product.py"], ["greenloop", "--version"]]
SHELLS = ["bash", "sh", "/bin/bash", "/bin/sh", "dash"]


def wrapped(rng, argv):
    """The command behind up to four wrappings."""
    for _ in range(rng.randrange(5)):
        kind = rng.randrange(5)
        if kind == 0:
            before, after = rng.choice(["", "set -e; ", "cd .. && ", "true; "]), rng.choice(["", "; exit 0", " && :"])
            argv = [rng.choice(SHELLS), rng.choice(["-c", "-lc", "-ec"]), before + shlex.join(argv) + after]
        elif kind == 1:
            argv = [rng.choice(["env", "/usr/bin/env"]), *rng.choice([[], ["A=1"], ["-i"]]), *argv]
        elif kind == 2:
            argv = ["timeout", str(rng.randrange(1, 60)), *argv]
        elif kind == 3:
            argv = ["nice", *argv]
        else:
            argv = ["nohup", *argv]
    return argv


def main():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    seed = random.SystemRandom().getrandbits(48) if args.seed is None else args.seed
    print("seed", seed)
    rng = random.Random(seed)
    os.makedirs(args.out, exist_ok=True)
    # A script that is not there would be a finding of its own.
    with open(os.path.join(args.out, "product.py"), "w", encoding="utf-8") as file:
        file.write("print('the product')\n")
    cases = []
    for number in range(args.samples):
        for name, commands in [("constant", CONSTANTS), ("product", PRODUCTS)]:
            command = wrapped(rng, rng.choice(commands))
            cases.append({"name": f"{name} {number}", "type": "negative", "real_world": True, "command": command, "expected": {"exit_code": 0}})
    path = os.path.join(args.out, "wrapped.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": 2, "trials": 2, "cases": cases}, file, indent=1)
    done = subprocess.run(["greenloop", "run", path, "--check", "--format", "json"], capture_output=True, text=True, timeout=20)
    found = json.loads(done.stdout)["findings"]
    accused = {int(finding["pointer"].split("/")[2]) for finding in found if finding["code"] == "trivial-case"}
    for place, case in enumerate(cases):
        wanted = case["name"].startswith("constant")
        assert (place in accused) == wanted, f"{'missed' if wanted else 'accused'}: {shlex.join(case['command'])}"
    assert done.returncode == 1 and len(accused) == len(found) == args.samples, done.stdout
    with open(os.path.join(args.out, "samples.json"), "w", encoding="utf-8") as file:
        json.dump({"samples": args.samples, "missed": 0}, file)


main()
