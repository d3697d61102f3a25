set(unit_tests allocations audit bad_inputs callback compare implicit_options joint_keys messages misuse out_of_memory settings start state sweep threads)
set(longer_tests allocations compare out_of_memory threads)
