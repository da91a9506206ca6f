"""What an expert would say: proposals, the guide, arrays that exist, their audit, the next boot."""
