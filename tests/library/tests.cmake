set(unit_tests allocations bad_inputs callback compare misuse out_of_memory settings start threads)
