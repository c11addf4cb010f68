"""Discount codes. Amounts come off first, then the best percentage, and a total is never below zero."""

from fractions import Fraction

from shop import money

PERCENT = {"SPRING10": 10, "LOYAL15": 15, "STAFF30": 30}
AMOUNT = {"MINUS5": 500, "MINUS20": 2000}


def discount(subtotal, codes):
    """What the codes take off `subtotal`, in cents. A code counts once."""
    codes = set(codes)
    unknown = codes - PERCENT.keys() - AMOUNT.keys()
    if unknown:
        raise ValueError(f"unknown discount code: {sorted(unknown)[0]}")
    off = min(subtotal, sum(AMOUNT[code] for code in codes & AMOUNT.keys()))
    best = max((PERCENT[code] for code in codes & PERCENT.keys()), default=0)
    return off + money.share(subtotal - off, Fraction(best, 100))
