# The machine that watches the others.
class role::monitor {
  include profile::base
  include profile::monitor
}
