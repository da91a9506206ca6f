"""The risk model: probability of data loss, and how many spares suffice. No speed, no search. Uses placement."""
