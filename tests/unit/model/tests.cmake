set(unit_tests measures look sensors spec)
