"""The checks of the shop, one per eval case: `python3 checks.py NAME`. Exit status 0 = held.

`greenloop run eval.json` starts each one as a process of its own, in this folder. A check works in `work/NAME`, which it
makes anew; what it prints has process ids, times and temporary paths in it, as any real suite's output has.
"""

import os
import shutil
import sys
import time

from fractions import Fraction

# A file that changes twice within a second must not run from a stale cache.
sys.dont_write_bytecode = True

from shop import discounts, inventory, money, orders, receipt, shipping, tax
from shop.cart import Cart

CHECKS = {}


def check(name):
    """Registers a check under its case name."""

    def register(function):
        CHECKS[name] = function
        return function

    return register


def same(what, got, wanted):
    """Fails with both values."""
    assert got == wanted, f"{what}: {got!r} != {wanted!r}"


def refused(kind, action):
    """Fails unless `action` raises `kind`."""
    try:
        result = action()
    except kind as error:
        print(f"refused: {type(error).__name__}")
        return
    raise AssertionError(f"accepted, expected {kind.__name__}: {result!r}")


@check("money-half-cent-rounds-up")
def _():
    same("half of 5 cents", money.share(5, Fraction(1, 2)), 3)
    same("half of 3 cents", money.share(3, Fraction(1, 2)), 2)


@check("money-below-half-rounds-down")
def _():
    same("a third of 1.00", money.share(100, Fraction(1, 3)), 33)


@check("money-refund-mirrors-the-charge")
def _():
    same("half of a refund of 5 cents", money.share(-5, Fraction(1, 2)), -3)


@check("money-split-loses-no-cent")
def _():
    parts = money.split(100, [1, 1, 1])
    same("parts of 1.00", parts, [33, 33, 34])


@check("money-third-decimal-is-refused")
def _():
    refused(ValueError, lambda: money.cents("1.005"))


@check("tax-buyer-region-decides")
def _():
    same("tax on 100.00, north to south", tax.tax(10000, "north", "south"), 825)


@check("tax-free-region-pays-none")
def _():
    same("tax on 49.99, north to island", tax.tax(4999, "north", "island"), 0)


@check("tax-half-cent-rounds-up")
def _():
    same("tax on 0.50, north to north", tax.tax(50, "north", "north"), 10)


@check("tax-below-half-rounds-down")
def _():
    same("tax on 1.01, north to north", tax.tax(101, "north", "north"), 19)


@check("discount-percentages-do-not-stack")
def _():
    same("SPRING10 and LOYAL15 on 100.00", discounts.discount(10000, ["SPRING10", "LOYAL15"]), 1500)


@check("discount-amount-comes-off-first")
def _():
    same("MINUS20 and SPRING10 on 100.00", discounts.discount(10000, ["MINUS20", "SPRING10"]), 2800)


@check("discount-never-exceeds-the-goods")
def _():
    same("MINUS5 on 3.00", discounts.discount(300, ["MINUS5"]), 300)


@check("discount-unknown-code-is-refused")
def _():
    refused(ValueError, lambda: discounts.discount(300, ["FREE100"]))


@check("cart-total-adds-up")
def _():
    totals = Cart("north", "north", codes=["SPRING10"]).add("mug", "12.50", 2).add("tea", "4.99").totals()
    print("total", money.show(totals["total"]))


@check("cart-total-across-regions")
def _():
    totals = Cart("north", "south").add("lamp", "40.00").totals()
    print("total", money.show(totals["total"]))


@check("cart-total-with-two-codes")
def _():
    totals = Cart("north", "north", codes=["SPRING10", "STAFF30"]).add("mug", "12.50").add("tea", "4.99").totals()
    print("total", money.show(totals["total"]))


@check("cart-free-shipping-after-discount")
def _():
    totals = Cart("north", "island", codes=["SPRING10", "LOYAL15"]).add("lamp", "62.00").totals()
    print("shipping", money.show(totals["shipping"]))


@check("stock-same-article-on-two-lines")
def _():
    stock = inventory.Inventory({"tea": 3})
    try:
        stock.reserve([("tea", 2), ("tea", 2)])
    except inventory.OutOfStock:
        print("refused: OutOfStock")
    assert stock.free("tea") >= 0, f"oversold: tea has {stock.free('tea')} free of 3"


@check("stock-failed-reservation-takes-nothing")
def _():
    stock = inventory.Inventory({"tea": 3, "mug": 1})
    refused(inventory.OutOfStock, lambda: stock.reserve([("tea", 1), ("mug", 9)]))
    assert stock.free("tea") == 3, f"partly reserved: tea has {stock.free('tea')} free of 3"


def shop_with_tea():
    """A shop with three teas, its stock, and a cart with one tea."""
    stock = inventory.Inventory({"tea": 3})
    return orders.Orders(stock, os.getcwd()), stock, Cart("north", "south").add("tea", "8.00")


@check("order-declined-payment-gives-the-stock-back")
def _():
    shop, stock, cart = shop_with_tea()
    refused(orders.Declined, lambda: shop.place("k1", cart, lambda amount: False))
    assert stock.free("tea") == 3, f"stock kept by a declined order: {stock.free('tea')} of 3 free"


@check("order-retry-is-one-order")
def _():
    shop, stock, cart = shop_with_tea()
    numbers = [shop.place("k1", cart, lambda amount: True) for _ in range(2)]
    assert numbers == [1, 1], f"one key, two orders: numbers {numbers}"
    same("teas left", stock.free("tea"), 2)


@check("order-busy-bank-is-a-no")
def _():
    shop, _, cart = shop_with_tea()
    refused(orders.Declined, lambda: shop.place("k1", cart, lambda amount: None))


@check("order-file-has-the-total")
def _():
    stock = inventory.Inventory({"tea": 3})
    cart = Cart("north", "south", codes=["SPRING10", "LOYAL15"]).add("tea", "8.00", 2)
    number = orders.Orders(stock, os.getcwd()).place("k1", cart, lambda amount: True)
    print(f"wrote order-{number}.json")


@check("shipping-heavy-parcel-is-refused")
def _():
    same("shipping of 1.2 kg", shipping.shipping(1000, 1200), 590)
    refused(ValueError, lambda: shipping.shipping(1000, 10001))


@check("receipt-shows-the-whole-amount")
def _():
    printed = receipt.line("a lamp with a name that does not fit", 123456)
    same("receipt line", printed[-8:], " 1234.56")


def main():
    """Runs one check. An uncaught error is the failure: the end of its traceback goes to standard error."""
    sys.tracebacklimit = 2
    name = sys.argv[1]
    work = os.path.join(os.path.dirname(os.path.abspath(__file__)), "work", name)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    os.chdir(work)
    started = time.perf_counter()
    print(f"[checks] {name} pid {os.getpid()} in {os.getcwd()}", file=sys.stderr)
    CHECKS[name]()
    print(f"held in {(time.perf_counter() - started) * 1000:.3f} ms")


if __name__ == "__main__":
    main()
