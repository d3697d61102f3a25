set(unit_tests types ties rolling curve messages statics motion)
