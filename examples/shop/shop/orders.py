"""Placing an order: reserve, charge, write it down. A declined payment leaves nothing behind."""

import json
import os

from shop import money


class Declined(Exception):
    """The bank said no."""


class Orders:
    """Orders of one shop, each a JSON file in `folder`."""

    def __init__(self, inventory, folder):
        self.inventory = inventory
        self.folder = folder
        self.by_key = {}

    def place(self, key, cart, pay):
        """Places an order and returns its number. The same `key` again returns the same number: a retry is no order."""
        if key in self.by_key:
            return self.by_key[key]
        wanted = [(sku, quantity) for sku, _, quantity, _ in cart.lines]
        self.inventory.reserve(wanted)
        totals = cart.totals()
        if not self.charge(pay, totals["total"]):
            self.inventory.release(wanted)
            raise Declined(f"{money.show(totals['total'])} was declined")
        number = len(self.by_key) + 1
        self.by_key[key] = number
        self.write(number, cart, totals)
        return number

    def charge(self, pay, amount):
        """Asks the bank; `None` means busy. Three times busy is a no."""
        for _ in range(3):
            answer = pay(amount)
            if answer is not None:
                return answer
        return False

    def write(self, number, cart, totals):
        """Writes the order beside its place and renames it, so that no reader sees half of it."""
        order = {
            "number": number,
            "lines": [{"sku": sku, "quantity": quantity} for sku, _, quantity, _ in cart.lines],
            **{name: money.show(amount) for name, amount in totals.items()},
        }
        path = os.path.join(self.folder, f"order-{number}.json")
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(order, file, ensure_ascii=False, sort_keys=True, indent=1)
        os.replace(path + ".part", path)
