"""How safe: rates at which a layout loses an array or a sector, and how many spares suffice."""
