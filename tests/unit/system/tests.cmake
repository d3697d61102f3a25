set(unit_tests compile joint_dynamics joint_loops)
