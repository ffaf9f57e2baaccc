"""The fusion methods."""

FILES = ("untrained", "trained")  # in the order of the lists that people read
