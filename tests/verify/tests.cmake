set(unit_tests
  beam_statics
  bennett
  bodies
  chain
  contact
  control
  inverse
  lockup
  orders
  paths
  redundancy
  references
  restart
  singular
  statics
  tangents)
set(longer_tests chain references restart)
