set(unit_tests conflict data extended_mass joint_dynamics joint_loops layout look tangent_parts)
