"""Reads the embedded tracker without greenloop: tickets.py PROJECT OUT.

Writes how many tickets there are, how many categories they have, how many are open, and how many categories have more
than one ticket.
"""

import collections
import json
import os
import sqlite3
import sys


def main():
    """The command line."""
    project, out = sys.argv[1:]
    path = os.path.join(project, ".greenloop", "tracker.db")
    rows = []
    if os.path.exists(path):
        database = sqlite3.connect(path)
        rows = database.execute("SELECT category_id, state FROM ticket").fetchall()
        database.close()
    each = collections.Counter(category for category, _ in rows)
    seen = {
        "tickets": len(rows),
        "categories": len(each),
        "open": sum(state == "open" for _, state in rows),
        "doubled": sum(count > 1 for count in each.values()),
    }
    with open(out, "w", encoding="utf-8") as file:
        json.dump(seen, file)


main()
