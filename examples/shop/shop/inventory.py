"""Stock. A reservation takes everything it asks for, or nothing."""


class OutOfStock(Exception):
    """There is less than what was asked for."""


class Inventory:
    """What is on the shelf, and what is set aside."""

    def __init__(self, shelf):
        self.shelf = dict(shelf)
        self.reserved = {}

    def free(self, sku):
        """Pieces that nobody has reserved."""
        return self.shelf.get(sku, 0) - self.reserved.get(sku, 0)

    def reserve(self, lines):
        """Sets aside every (sku, quantity) of `lines`."""
        wanted = {}
        for sku, quantity in lines:
            wanted[sku] = wanted.get(sku, 0) + quantity
        for sku, quantity in wanted.items():
            if quantity > self.free(sku):
                raise OutOfStock(f"{sku}: {quantity} wanted, {self.free(sku)} free")
        for sku, quantity in wanted.items():
            self.reserved[sku] = self.reserved.get(sku, 0) + quantity

    def release(self, lines):
        """Gives a reservation back."""
        for sku, quantity in lines:
            self.reserved[sku] -= quantity
