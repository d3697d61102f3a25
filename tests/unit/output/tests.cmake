set(unit_tests axis crash csv json plot results scene select)
