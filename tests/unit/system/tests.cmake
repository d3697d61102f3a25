set(unit_tests conflict compile joint_dynamics joint_loops layout)
