set(unit_tests conflict joint_dynamics joint_loops layout)
