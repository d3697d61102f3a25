set(unit_tests axis crash csv json others plot results scene select)
