set(unit_tests conflict data joint_dynamics joint_loops layout)
