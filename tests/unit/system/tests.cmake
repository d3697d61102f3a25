set(unit_tests joint_dynamics joint_loops)
