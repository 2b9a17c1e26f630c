# A public key for secure shell.
type Accounts::Key = Pattern[/\A(ssh-(ed25519|rsa)|ecdsa-sha2-nistp\d{3}) [A-Za-z0-9+\/]+=*\z/]
