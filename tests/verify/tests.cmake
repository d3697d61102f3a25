set(unit_tests
  chain
  inverse
  paths
  redundancy
  restart
  tangents)
