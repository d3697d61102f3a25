set(unit_tests measures sensors spec)
