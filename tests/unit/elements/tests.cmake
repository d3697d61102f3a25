set(unit_tests elements shapes turn limit)
