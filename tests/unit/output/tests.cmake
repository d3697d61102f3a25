set(unit_tests json results crash csv)
