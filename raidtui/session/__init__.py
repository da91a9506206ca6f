"""What an admin decides, its fields, and what follows from it; the machine as it is watched; reports. No Textual."""
