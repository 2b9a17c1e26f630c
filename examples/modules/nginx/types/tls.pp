# The certificate of a site.
type Nginx::Tls = Struct[{
  certificate         => Pattern[/\A\//],
  key                 => Pattern[/\A\//],
  Optional[protocols] => Array[Enum['TLSv1.2', 'TLSv1.3'], 1],
}]
