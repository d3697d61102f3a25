set(unit_tests bushing joint load spring tyre)
