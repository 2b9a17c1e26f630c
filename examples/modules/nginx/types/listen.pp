# Where a site listens: a port, or an address with a port.
type Nginx::Listen = Variant[Nginx::Port, Pattern[/\A(\d{1,3}(\.\d{1,3}){3}|\[[\h:]+\]):\d{1,5}\z/]]
