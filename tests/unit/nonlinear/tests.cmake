set(unit_tests tangent_space equilibrium path rest)
