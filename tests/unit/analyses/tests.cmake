set(unit_tests check_mesh analysis auto)
