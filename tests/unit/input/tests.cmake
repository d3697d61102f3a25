set(unit_tests read messages hostile tables)
