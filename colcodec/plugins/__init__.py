"""What other libraries find by their entry points: a module for each, which alone needs that library."""
