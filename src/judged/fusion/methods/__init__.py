"""The fusion methods, in files by what they use."""

FILES = ("scores", "ranks", "condorcet", "trained")  # in the order of the lists that people read
