# A port that a server can listen on.
type Nginx::Port = Integer[1, 65535]
