"""Records the runs of the demo: builds each stage as a commit, lets `greenloop run` run it, keeps the report.

    python3 record.py              record every series again
    python3 record.py campaign     only this series
    python3 record.py campaign 1 -o report.json    run one stage and write its report there
    python3 record.py --greenloop target/debug/greenloop    with this program instead of the one in PATH

A stage is the healthy shop with the faults of stages.json put in; a fault is a patch, so what is broken can be read.
Each series is a git history of its own with fixed names and dates: the same sources give the same commits. A report is
kept as greenloop wrote it. Run id, time, durations, process ids and temporary paths differ in every recording, as they do
in every real run; nothing that greenloop compares may depend on them.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = [".gitignore", "checks.py", "eval.json"]
DAY = 1767225600  # 2026-01-01T00:00:00Z; stage n is committed n hours later


def git(repo, *args, hour=0):
    """Runs git without anybody's configuration."""
    date = f"{DAY + 3600 * hour} +0000"
    env = {
        "PATH": os.environ["PATH"], "HOME": repo, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "shop", "GIT_AUTHOR_EMAIL": "shop@example.invalid", "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_NAME": "shop", "GIT_COMMITTER_EMAIL": "shop@example.invalid", "GIT_COMMITTER_DATE": date,
    }
    return subprocess.run(["git", *args], cwd=repo, env=env, check=True, capture_output=True, text=True).stdout.strip()


def build(repo, stage, hour):
    """Makes the work tree of one stage and commits it. Returns the commit."""
    shutil.rmtree(os.path.join(repo, "shop"), ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "shop"), os.path.join(repo, "shop"), ignore=shutil.ignore_patterns("__pycache__"))
    for name in TREE:
        shutil.copy(os.path.join(HERE, name), os.path.join(repo, name))
    for fault in stage["faults"]:
        git(repo, "apply", os.path.join(HERE, "faults", fault + ".patch"))
    git(repo, "add", "-A")
    git(repo, "commit", "--quiet", "-m", stage["message"], hour=hour)
    return git(repo, "rev-parse", "HEAD")


def run_suite(greenloop, repo, output):
    """Runs the fixture of the commit in `repo`; a status other than 0 and 1 is an error."""
    argv = [greenloop, "run", "eval.json", "--jobs", "2", "-o", output]
    done = subprocess.run(argv, cwd=repo, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"greenloop could not run the suite:\n{done.stderr}")


def said(path, sha):
    """What the report says in a line. It must be about this very commit."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    if report["repo"] != {"sha": sha, "ref": "main", "dirty": False}:
        raise SystemExit(f"{path} is not about commit {sha}: {report['repo']}")
    counts = report["outcome_counts"]
    return f"{report['readiness']}: {counts['PASS']} cases passed, {counts['FAIL']} failed"


def refuse_machine_paths(path):
    """A recording may name temporary folders, and nothing else of this machine."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for needle in ("/home/", "/root/", "/usr/", "/Users/", HERE):
        if needle in text:
            raise SystemExit(f"{path} has a path of this machine in it: {needle}")
    if len(text) > 120_000:
        raise SystemExit(f"{path} has {len(text)} bytes; recordings stay below 120,000")


def record(greenloop, series, stages, only, output):
    """Records one series, or writes the report of one of its stages."""
    repo = tempfile.mkdtemp(prefix="shop-tree-")
    try:
        git(repo, "init", "--quiet", "--object-format=sha1", "--initial-branch=main")
        for number, stage in enumerate(stages, start=1):
            sha = build(repo, stage, number)
            if only not in (None, number):
                continue
            path = output or os.path.join(HERE, "runs", series, f"run-{number}.json")
            os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
            run_suite(greenloop, repo, os.path.abspath(path))
            if output is None:
                refuse_machine_paths(path)
            print(f"{series} {number} {sha[:10]} {said(path, sha)}")
    finally:
        shutil.rmtree(repo, ignore_errors=True)


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description="Record the runs of the demo.")
    parser.add_argument("series", nargs="?", help="campaign or oscillation; without it: all")
    parser.add_argument("stage", nargs="?", type=int, help="only this stage")
    parser.add_argument("-o", "--output", help="with a stage: the file to write instead of the recording")
    parser.add_argument("--greenloop", default="greenloop", help="the program; without it: the one in PATH")
    args = parser.parse_args()
    greenloop = shutil.which(args.greenloop)
    if greenloop is None:
        parser.error(f"there is no program {args.greenloop}; install greenloop or name it with --greenloop")
    greenloop = os.path.abspath(greenloop)
    if args.output and args.stage is None:
        parser.error("-o needs a series and a stage")
    with open(os.path.join(HERE, "stages.json"), encoding="utf-8") as file:
        all_stages = json.load(file)
    for series, stages in all_stages.items():
        if args.series in (None, series):
            record(greenloop, series, stages, args.stage, args.output)


if __name__ == "__main__":
    main()
