# A machine that does nothing but run.
class role::base {
  include profile::base
}
