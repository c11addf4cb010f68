"""Amounts are whole cents, rates are exact fractions. Every division of the shop is rounded here, once."""

from fractions import Fraction


def cents(text):
    """Reads `12.34` as 1234. Refuses more than two decimals: they would have to be rounded silently."""
    whole, _, decimals = text.partition(".")
    if len(decimals) > 2:
        raise ValueError(f"more than two decimals: {text!r}")
    sign = -1 if whole.startswith("-") else 1
    return int(whole) * 100 + sign * int((decimals + "00")[:2])


def show(amount):
    """Writes 1234 as `12.34`."""
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02d}"


def rounded(amount):
    """Rounds a fraction of cents to whole cents; a half goes away from zero."""
    sign = -1 if amount < 0 else 1
    return sign * int(abs(amount) + Fraction(1, 2))


def share(amount, rate):
    """The part `rate` of `amount`, in whole cents."""
    return rounded(amount * Fraction(rate))


def split(amount, weights):
    """Parts of `amount` in proportion to `weights`. The parts add up to `amount`; the last one takes what is left."""
    total = sum(weights)
    parts = [rounded(Fraction(amount * weight, total)) for weight in weights[:-1]]
    return [*parts, amount - sum(parts)]
