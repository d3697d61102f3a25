set(unit_tests cell mesh)
