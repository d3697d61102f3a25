set(unit_tests paths)
