"""Builds commits of the example shop for a live run: shop_tree.py FOLDER SERIES STAGE; prints the commit.

FOLDER is a git repository that the stage is committed to; it is made if it is not there. The fixture is
subjects/shop.json, which lies in the commit as live.json.
"""

import os
import shutil
import sys
import json

HERE = os.path.dirname(os.path.abspath(__file__))
SHOP = os.path.join(HERE, "..", "..", "examples", "shop")
sys.dont_write_bytecode = True
sys.path.insert(0, SHOP)
import record  # noqa: E402  the demo's own way to build a stage


def main():
    """The command line."""
    folder, series, stage = sys.argv[1], sys.argv[2], int(sys.argv[3])
    folder = os.path.abspath(folder)
    if not os.path.exists(os.path.join(folder, ".git")):
        os.makedirs(folder)
        record.git(folder, "init", "--quiet", "--object-format=sha1", "--initial-branch=main")
    with open(os.path.join(SHOP, "stages.json"), encoding="utf-8") as file:
        stages = json.load(file)
    # Before the commit is made, so that the work tree is the commit.
    shutil.copy(os.path.join(HERE, "..", "subjects", "shop.json"), os.path.join(folder, "live.json"))
    with open(os.path.join(folder, ".gitignore"), "w", encoding="utf-8") as file:
        file.write("__pycache__\n")
    print(record.build(folder, stages[series][stage - 1], stage))


main()
