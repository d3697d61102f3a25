set(unit_tests
  bodies
  chain
  inverse
  paths
  redundancy
  restart
  tangents)
