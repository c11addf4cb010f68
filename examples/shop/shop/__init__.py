"""A small shop. Prices, stock and orders, with no dependency beyond the standard library."""
