set(unit_tests bushing callback contact joint load spring tyre)
