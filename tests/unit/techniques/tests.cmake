set(unit_tests techniques)
