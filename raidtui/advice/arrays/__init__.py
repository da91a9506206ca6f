"""States of md arrays that exist, why one does not start, and the words for them."""
