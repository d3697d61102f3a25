set(unit_tests allocations bad_inputs callback misuse out_of_memory settings threads)
