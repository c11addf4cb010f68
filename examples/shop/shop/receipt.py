"""The printed receipt: 32 columns, amounts to the right."""

from shop import money

WIDTH = 32


def line(name, amount):
    """One line; a long name is cut, an amount never."""
    price = money.show(amount)
    room = WIDTH - len(price) - 1
    return f"{name[:room]:<{room}} {price}"


def receipt(totals):
    """The lines of a receipt."""
    return [line(name, amount) for name, amount in totals.items()]
