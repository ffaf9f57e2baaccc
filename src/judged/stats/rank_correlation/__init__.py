"""How similar two rankings are: the tau family, rho, RBO, overlap."""
