# The line of the configuration file for a source.
#
# @param source The source.
# @return The line, without its end.
function chrony::source_line(Chrony::Source $source) >> String[1] {
  $intervals = ['minpoll', 'maxpoll'].filter |$key| { $key in $source }.map |$key| {
    "${key} ${source[$key]}"
  }
  $preference = $source['prefer'] ? {
    true    => ['prefer'],
    default => [],
  }
  $kind = $source['kind'].lest || { 'server' }
  join([$kind, $source['host'], 'iburst'] + $intervals + $preference, ' ')
}
