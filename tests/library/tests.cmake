set(unit_tests allocations audit bad_inputs callback compare joint_keys messages misuse out_of_memory settings start state threads)
