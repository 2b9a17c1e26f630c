# The `listen` directives of a site, without duplicates.
#
# @param listen Ports and addresses; nested arrays are flattened.
# @param is_tls Whether the site has a certificate.
# @return One directive an element.
function nginx::listen(
  Variant[Nginx::Listen, Array] $listen,
  Boolean                       $is_tls = false,
) >> Array[String[1]] {
  $suffix = if $is_tls { ' ssl' } else { '' }
  [$listen].flatten.unique.map |Nginx::Listen $place| { "listen ${place}${suffix};" }
}
