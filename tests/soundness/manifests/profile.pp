# Code of the environment itself, before any node.
$zones = ['inner', 'outer']
include profile
notify { "environment: ${place('x')} ${shared('y')}": }
