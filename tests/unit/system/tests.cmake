set(unit_tests joint_dynamics)
