"""A cart: lines in, one total out."""

from dataclasses import dataclass, field

from shop import discounts, money, shipping, tax


@dataclass
class Cart:
    """Lines are (sku, unit price in cents, quantity, grams of one)."""

    seller: str
    buyer: str
    lines: list = field(default_factory=list)
    codes: list = field(default_factory=list)

    def add(self, sku, price, quantity=1, grams=100):
        """Adds a line and returns the cart."""
        if quantity < 1:
            raise ValueError(f"quantity of {sku}: {quantity}")
        self.lines.append((sku, money.cents(price), quantity, grams))
        return self

    def totals(self):
        """Goods, discount, tax, shipping and total, in cents."""
        goods = sum(price * quantity for _, price, quantity, _ in self.lines)
        off = discounts.discount(goods, self.codes)
        due = tax.tax(goods - off, self.seller, self.buyer)
        post = shipping.shipping(goods - off, sum(quantity * grams for _, _, quantity, grams in self.lines))
        return {"goods": goods, "discount": off, "tax": due, "shipping": post, "total": goods - off + due + post}
