set(unit_tests
  bennett
  bodies
  chain
  contact
  inverse
  orders
  paths
  redundancy
  references
  restart
  singular
  statics
  tangents)
set(longer_tests chain references restart)
