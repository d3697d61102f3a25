set(unit_tests bushing callback joint load spring tyre)
