"""Sales tax. The buyer's region decides; rates are exact."""

from fractions import Fraction

from shop import money

RATES = {
    "north": Fraction(19, 100),
    "south": Fraction(33, 400),  # 8.25 %
    "island": Fraction(0),
}


def tax(net, seller, buyer):
    """Tax on `net` cents for a sale from region `seller` to region `buyer`."""
    rate(seller)  # an unknown seller is an error too
    return money.share(net, rate(buyer))


def rate(region):
    """The rate of a region."""
    if region not in RATES:
        raise KeyError(f"no tax rate for region {region!r}")
    return RATES[region]
