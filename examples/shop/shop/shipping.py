"""Shipping by weight. Free from 50.00 of goods."""

BANDS = [(500, 390), (2000, 590), (10000, 990)]  # up to grams, cents
FREE_FROM = 5000


def shipping(goods, grams):
    """Cents for a parcel of `grams` with `goods` cents in it."""
    if goods >= FREE_FROM:
        return 0
    for limit, price in BANDS:
        if grams <= limit:
            return price
    raise ValueError(f"too heavy for a parcel: {grams} g")
